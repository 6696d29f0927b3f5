%struct.Python = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, ptr }
%struct.Slot = type { i64, i64, ptr, ptr, ptr }
%struct.SequenceOutput = type { ptr, i64, i64 }
%struct.SequenceInput = type { ptr, i64 }

@python = internal unnamed_addr global %struct.Python zeroinitializer, align 8

define ptr @release_gil() local_unnamed_addr #0 {
  %1 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 128), align 8
  %2 = tail call i32 %1() #8
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %7, label %4

4:
  %5 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 136), align 8
  %6 = tail call ptr %5() #8
  br label %7

7:
  %8 = phi ptr [ %6, %4 ], [ null, %0 ]
  ret ptr %8
}

define void @acquire_gil(ptr noundef %0) local_unnamed_addr #0 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %5, label %3

3:
  %4 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 144), align 8
  tail call void %4(ptr noundef nonnull %0) #8
  br label %5

5:
  ret void
}

define noundef zeroext i1 @poll_signals(i64 noundef %0) local_unnamed_addr #0 {
  %2 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 216), align 8
  %3 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %4 = tail call i64 %3() #8
  %5 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 208), align 8
  %6 = and i64 %5, %4
  %7 = load i64, ptr %2, align 8
  %8 = icmp eq i64 %6, %7
  br i1 %8, label %9, label %30

9:
  %10 = getelementptr inbounds i8, ptr %2, i64 8
  %11 = load ptr, ptr %10, align 8
  %12 = icmp eq ptr %11, null
  br i1 %12, label %13, label %62

13:
  %14 = getelementptr inbounds i8, ptr %2, i64 32
  %15 = load atomic i64, ptr %14 monotonic, align 8
  %16 = add i64 %15, %0
  %17 = icmp ugt i64 %16, 134217727
  %18 = select i1 %17, i64 0, i64 %16
  store atomic i64 %18, ptr %14 monotonic, align 8
  br i1 %17, label %19, label %62

19:
  %20 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 112), align 8
  %21 = tail call i32 %20() #8
  %22 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 152), align 8
  %23 = tail call i32 %22() #8
  %24 = icmp sgt i32 %23, -1
  br i1 %24, label %50, label %25

25:
  %26 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 160), align 8
  %27 = getelementptr inbounds i8, ptr %2, i64 16
  %28 = getelementptr inbounds i8, ptr %2, i64 24
  tail call void %26(ptr noundef nonnull %10, ptr noundef nonnull %27, ptr noundef nonnull %28) #8
  %29 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 120), align 8
  tail call void %29(i32 noundef %21) #8
  br label %62

30:
  %31 = getelementptr inbounds i8, ptr %2, i64 48
  %32 = load atomic i64, ptr %31 monotonic, align 8
  %33 = icmp eq i64 %32, 0
  br i1 %33, label %44, label %34

34:
  %35 = getelementptr inbounds i8, ptr %2, i64 56
  br label %39

36:
  %37 = add nuw i64 %40, 1
  %38 = icmp eq i64 %37, %32
  br i1 %38, label %44, label %39

39:
  %40 = phi i64 [ 0, %34 ], [ %37, %36 ]
  %41 = getelementptr inbounds [4096 x i64], ptr %35, i64 0, i64 %40
  %42 = load atomic i64, ptr %41 monotonic, align 8
  %43 = icmp eq i64 %42, %6
  br i1 %43, label %62, label %36

44:
  %45 = getelementptr inbounds i8, ptr %2, i64 40
  %46 = load atomic i64, ptr %45 monotonic, align 8
  %47 = add i64 %46, %0
  %48 = icmp ugt i64 %47, 134217727
  %49 = select i1 %48, i64 0, i64 %47
  store atomic i64 %49, ptr %45 monotonic, align 8
  br i1 %48, label %52, label %62

50:
  %51 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 120), align 8
  tail call void %51(i32 noundef %21) #8
  br label %52

52:
  %53 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 128), align 8
  %54 = tail call i32 %53() #8
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %62, label %56

56:
  %57 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 136), align 8
  %58 = tail call ptr %57() #8
  %59 = icmp eq ptr %58, null
  br i1 %59, label %62, label %60

60:
  %61 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 144), align 8
  tail call void %61(ptr noundef nonnull %58) #8
  br label %62

62:
  %63 = phi i1 [ true, %25 ], [ false, %44 ], [ true, %9 ], [ false, %13 ], [ false, %56 ], [ false, %60 ], [ false, %52 ], [ true, %39 ]
  ret i1 %63
}

define noundef zeroext i1 @raise_pending() local_unnamed_addr #0 {
  %1 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 216), align 8
  %2 = getelementptr inbounds i8, ptr %1, i64 8
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %18, label %5

5:
  %6 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %7 = tail call i64 %6() #8
  %8 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 208), align 8
  %9 = and i64 %8, %7
  %10 = load i64, ptr %1, align 8
  %11 = icmp eq i64 %9, %10
  br i1 %11, label %12, label %18

12:
  store ptr null, ptr %2, align 8
  %13 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %14 = getelementptr inbounds i8, ptr %1, i64 16
  %15 = load ptr, ptr %14, align 8
  %16 = getelementptr inbounds i8, ptr %1, i64 24
  %17 = load ptr, ptr %16, align 8
  tail call void %13(ptr noundef nonnull %3, ptr noundef %15, ptr noundef %17) #8
  br label %18

18:
  %19 = phi i1 [ true, %12 ], [ false, %5 ], [ false, %0 ]
  ret i1 %19
}

define ptr @call_kernel(ptr noundef %0, ptr nocapture noundef readonly %1, i64 noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = alloca double, align 8
  %6 = alloca double, align 8
  %7 = alloca double, align 8
  %8 = alloca double, align 8
  %9 = alloca [32 x ptr], align 16
  %10 = getelementptr inbounds i8, ptr %0, i64 24
  %11 = load ptr, ptr %10, align 8
  %12 = and i64 %2, 9223372036854775807
  %13 = getelementptr inbounds i8, ptr %11, i64 32
  %14 = load i64, ptr %13, align 8
  %15 = load ptr, ptr %11, align 8
  %16 = icmp eq ptr %15, null
  br i1 %16, label %21, label %17, !prof !5

17:
  %18 = getelementptr inbounds i8, ptr %11, i64 24
  %19 = load i64, ptr %18, align 8
  %20 = icmp eq i64 %12, %19
  br i1 %20, label %23, label %21, !prof !6

21:
  %22 = tail call fastcc ptr @call_batch(ptr noundef nonnull %0, ptr noundef %1, i64 noundef %12, ptr noundef %3) #10
  br label %1084

23:
  %24 = icmp eq i64 %14, 1
  br i1 %24, label %25, label %795

25:
  switch i64 %12, label %795 [
    i64 1, label %50
    i64 2, label %38
    i64 3, label %26
  ]

26:
  %27 = getelementptr inbounds i8, ptr %11, i64 56
  %28 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %29 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %30 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %31 = load ptr, ptr @python, align 8
  %32 = load ptr, ptr %27, align 8
  %33 = load i64, ptr %32, align 8
  %34 = icmp eq i64 %33, 0
  %35 = load ptr, ptr %1, align 8
  %36 = getelementptr inbounds i8, ptr %35, i64 8
  %37 = load ptr, ptr %36, align 8
  br i1 %34, label %494, label %504

38:
  %39 = getelementptr inbounds i8, ptr %11, i64 56
  %40 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %41 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %42 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %43 = load ptr, ptr @python, align 8
  %44 = load ptr, ptr %39, align 8
  %45 = load i64, ptr %44, align 8
  %46 = icmp eq i64 %45, 0
  %47 = load ptr, ptr %1, align 8
  %48 = getelementptr inbounds i8, ptr %47, i64 8
  %49 = load ptr, ptr %48, align 8
  br i1 %46, label %251, label %261

50:
  %51 = getelementptr inbounds i8, ptr %11, i64 56
  %52 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %53 = load ptr, ptr @python, align 8
  %54 = load ptr, ptr %51, align 8
  %55 = load i64, ptr %54, align 8
  %56 = icmp eq i64 %55, 0
  %57 = load ptr, ptr %1, align 8
  br i1 %56, label %61, label %58

58:
  %59 = getelementptr inbounds i8, ptr %57, i64 8
  %60 = load ptr, ptr %59, align 8
  br label %75

61:
  %62 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %63 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %64 = getelementptr inbounds i8, ptr %57, i64 8
  %65 = load ptr, ptr %64, align 8
  %66 = icmp eq ptr %65, %63
  %67 = icmp eq ptr %65, %62
  %68 = select i1 %66, i1 true, i1 %67
  br i1 %68, label %69, label %75

69:
  %70 = getelementptr inbounds i8, ptr %54, i64 32
  %71 = load ptr, ptr %70, align 8
  %72 = icmp eq ptr %71, %52
  br i1 %72, label %73, label %75

73:
  %74 = getelementptr inbounds i8, ptr %57, i64 16
  br label %116

75:
  %76 = phi ptr [ %60, %58 ], [ %65, %61 ], [ %65, %69 ]
  %77 = icmp eq ptr %76, %53
  br i1 %77, label %78, label %111, !prof !6

78:
  %79 = getelementptr inbounds i8, ptr %57, i64 56
  %80 = load ptr, ptr %79, align 8
  %81 = getelementptr inbounds i8, ptr %54, i64 32
  %82 = load ptr, ptr %81, align 8
  %83 = icmp ne ptr %80, %82
  %84 = getelementptr inbounds i8, ptr %57, i64 24
  %85 = load i32, ptr %84, align 8
  %86 = sext i32 %85 to i64
  %87 = icmp ne i64 %55, %86
  %88 = or i1 %83, %87
  %89 = getelementptr inbounds i8, ptr %57, i64 64
  %90 = load i32, ptr %89, align 8
  %91 = and i32 %90, 257
  %92 = icmp ne i32 %91, 257
  %93 = or i1 %88, %92
  br i1 %93, label %111, label %94, !prof !5

94:
  %95 = icmp sgt i64 %55, 0
  br i1 %95, label %96, label %113

96:
  %97 = getelementptr inbounds i8, ptr %57, i64 32
  %98 = load ptr, ptr %97, align 8
  %99 = getelementptr inbounds i8, ptr %54, i64 16
  %100 = load ptr, ptr %99, align 8
  br label %104

101:
  %102 = add nuw nsw i64 %105, 1
  %103 = icmp eq i64 %102, %55
  br i1 %103, label %113, label %104

104:
  %105 = phi i64 [ 0, %96 ], [ %102, %101 ]
  %106 = getelementptr inbounds i64, ptr %98, i64 %105
  %107 = load i64, ptr %106, align 8
  %108 = getelementptr inbounds i64, ptr %100, i64 %105
  %109 = load i64, ptr %108, align 8
  %110 = icmp eq i64 %107, %109
  br i1 %110, label %101, label %119, !prof !6

111:
  %112 = tail call fastcc ptr @call_batch(ptr noundef nonnull %0, ptr noundef nonnull %1, i64 noundef 1, ptr noundef %3) #10
  br label %1084

113:
  %114 = getelementptr inbounds i8, ptr %57, i64 16
  %115 = load ptr, ptr %114, align 8
  br label %116

116:
  %117 = phi ptr [ %74, %73 ], [ %115, %113 ]
  store ptr %117, ptr %9, align 16
  %118 = icmp eq ptr %3, null
  br i1 %118, label %121, label %167

119:
  %120 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 1, ptr noundef %3) #10
  br label %1084

121:
  %122 = getelementptr inbounds i8, ptr %54, i64 40
  %123 = getelementptr inbounds i8, ptr %9, i64 8
  %124 = load i64, ptr %122, align 8
  %125 = icmp eq i64 %124, 0
  br i1 %125, label %152, label %126

126:
  %127 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  %128 = getelementptr inbounds i8, ptr %54, i64 72
  %129 = load ptr, ptr %128, align 8
  tail call void %127(ptr noundef %129) #8
  %130 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %131 = load ptr, ptr @python, align 8
  %132 = load ptr, ptr %128, align 8
  %133 = load i64, ptr %122, align 8
  %134 = trunc i64 %133 to i32
  %135 = getelementptr inbounds i8, ptr %54, i64 56
  %136 = load ptr, ptr %135, align 8
  %137 = tail call ptr %130(ptr noundef %131, ptr noundef %132, i32 noundef %134, ptr noundef %136, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %138 = icmp eq ptr %137, null
  br i1 %138, label %1084, label %139, !prof !5

139:
  %140 = getelementptr inbounds i8, ptr %137, i64 16
  %141 = load ptr, ptr %140, align 8
  store ptr %141, ptr %123, align 8
  %142 = load ptr, ptr %11, align 8
  %143 = getelementptr inbounds i8, ptr %11, i64 48
  %144 = load ptr, ptr %143, align 8
  call void %142(ptr noundef nonnull %9, ptr noundef %144) #8
  %145 = getelementptr inbounds i8, ptr %11, i64 72
  %146 = load i64, ptr %145, align 8
  %147 = icmp eq i64 %146, 0
  br i1 %147, label %1084, label %148, !prof !6

148:
  %149 = call zeroext i1 @raise_pending() #10
  br i1 %149, label %150, label %1084

150:
  %151 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %151(ptr noundef nonnull %137) #8
  br label %1084

152:
  store ptr %8, ptr %123, align 8
  %153 = getelementptr inbounds i8, ptr %11, i64 48
  %154 = load ptr, ptr %153, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %154) #8
  %155 = getelementptr inbounds i8, ptr %11, i64 72
  %156 = load i64, ptr %155, align 8
  %157 = icmp eq i64 %156, 0
  br i1 %157, label %160, label %158

158:
  %159 = call zeroext i1 @raise_pending() #10
  br i1 %159, label %165, label %160

160:
  %161 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %162 = getelementptr inbounds i8, ptr %54, i64 72
  %163 = load ptr, ptr %162, align 8
  %164 = call ptr %161(ptr noundef nonnull %8, ptr noundef %163, ptr noundef null) #8
  br label %165

165:
  %166 = phi ptr [ %164, %160 ], [ null, %158 ]
  br label %1084

167:
  %168 = getelementptr inbounds i8, ptr %1, i64 8
  %169 = load ptr, ptr %168, align 8
  %170 = getelementptr inbounds i8, ptr %54, i64 40
  %171 = getelementptr inbounds i8, ptr %3, i64 16
  %172 = load i64, ptr %171, align 8
  %173 = icmp eq i64 %172, 1
  br i1 %173, label %174, label %180, !prof !8

174:
  %175 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 200), align 8
  %176 = getelementptr inbounds i8, ptr %3, i64 %175
  %177 = load ptr, ptr %176, align 8
  %178 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 40), align 8
  %179 = icmp eq ptr %177, %178
  br i1 %179, label %182, label %180, !prof !9

180:
  %181 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 1, ptr noundef nonnull %3) #10
  br label %1084

182:
  %183 = getelementptr inbounds i8, ptr %169, i64 8
  %184 = load ptr, ptr %183, align 8
  %185 = icmp eq ptr %184, %53
  br i1 %185, label %186, label %220, !prof !6

186:
  %187 = getelementptr inbounds i8, ptr %169, i64 56
  %188 = load ptr, ptr %187, align 8
  %189 = getelementptr inbounds i8, ptr %54, i64 72
  %190 = load ptr, ptr %189, align 8
  %191 = icmp ne ptr %188, %190
  %192 = getelementptr inbounds i8, ptr %169, i64 24
  %193 = load i32, ptr %192, align 8
  %194 = sext i32 %193 to i64
  %195 = load i64, ptr %170, align 8
  %196 = icmp ne i64 %195, %194
  %197 = or i1 %191, %196
  %198 = getelementptr inbounds i8, ptr %169, i64 64
  %199 = load i32, ptr %198, align 8
  %200 = and i32 %199, 1281
  %201 = icmp ne i32 %200, 1281
  %202 = or i1 %197, %201
  br i1 %202, label %220, label %203, !prof !5

203:
  %204 = icmp sgt i32 %193, 0
  br i1 %204, label %205, label %222

205:
  %206 = getelementptr inbounds i8, ptr %169, i64 32
  %207 = load ptr, ptr %206, align 8
  %208 = getelementptr inbounds i8, ptr %54, i64 56
  %209 = load ptr, ptr %208, align 8
  br label %213

210:
  %211 = add nuw nsw i64 %214, 1
  %212 = icmp eq i64 %211, %194
  br i1 %212, label %222, label %213

213:
  %214 = phi i64 [ 0, %205 ], [ %211, %210 ]
  %215 = getelementptr inbounds i64, ptr %207, i64 %214
  %216 = load i64, ptr %215, align 8
  %217 = getelementptr inbounds i64, ptr %209, i64 %214
  %218 = load i64, ptr %217, align 8
  %219 = icmp eq i64 %216, %218
  br i1 %219, label %210, label %220, !prof !6

220:
  %221 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 1, ptr noundef nonnull %3) #10
  br label %1084

222:
  %223 = getelementptr inbounds i8, ptr %169, i64 16
  %224 = load ptr, ptr %223, align 8
  %225 = getelementptr inbounds i8, ptr %9, i64 8
  store ptr %224, ptr %225, align 8
  %226 = getelementptr inbounds i8, ptr %11, i64 48
  %227 = load ptr, ptr %226, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %227) #8
  %228 = getelementptr inbounds i8, ptr %11, i64 72
  %229 = load i64, ptr %228, align 8
  %230 = icmp eq i64 %229, 0
  br i1 %230, label %249, label %231

231:
  %232 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 216), align 8
  %233 = getelementptr inbounds i8, ptr %232, i64 8
  %234 = load ptr, ptr %233, align 8
  %235 = icmp eq ptr %234, null
  br i1 %235, label %249, label %236

236:
  %237 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %238 = call i64 %237() #8
  %239 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 208), align 8
  %240 = and i64 %239, %238
  %241 = load i64, ptr %232, align 8
  %242 = icmp eq i64 %240, %241
  br i1 %242, label %243, label %249, !prof !10

243:
  store ptr null, ptr %233, align 8
  %244 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %245 = getelementptr inbounds i8, ptr %232, i64 16
  %246 = load ptr, ptr %245, align 8
  %247 = getelementptr inbounds i8, ptr %232, i64 24
  %248 = load ptr, ptr %247, align 8
  call void %244(ptr noundef nonnull %234, ptr noundef %246, ptr noundef %248) #8
  br label %1084

249:
  %250 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %250(ptr noundef nonnull %169) #8
  br label %1084

251:
  %252 = icmp eq ptr %49, %40
  %253 = icmp eq ptr %49, %41
  %254 = select i1 %252, i1 true, i1 %253
  br i1 %254, label %255, label %261

255:
  %256 = getelementptr inbounds i8, ptr %44, i64 32
  %257 = load ptr, ptr %256, align 8
  %258 = icmp eq ptr %257, %42
  br i1 %258, label %259, label %261

259:
  %260 = getelementptr inbounds i8, ptr %47, i64 16
  br label %301

261:
  %262 = icmp eq ptr %49, %43
  br i1 %262, label %263, label %296, !prof !6

263:
  %264 = getelementptr inbounds i8, ptr %47, i64 56
  %265 = load ptr, ptr %264, align 8
  %266 = getelementptr inbounds i8, ptr %44, i64 32
  %267 = load ptr, ptr %266, align 8
  %268 = icmp ne ptr %265, %267
  %269 = getelementptr inbounds i8, ptr %47, i64 24
  %270 = load i32, ptr %269, align 8
  %271 = sext i32 %270 to i64
  %272 = icmp ne i64 %45, %271
  %273 = or i1 %268, %272
  %274 = getelementptr inbounds i8, ptr %47, i64 64
  %275 = load i32, ptr %274, align 8
  %276 = and i32 %275, 257
  %277 = icmp ne i32 %276, 257
  %278 = or i1 %273, %277
  br i1 %278, label %296, label %279, !prof !5

279:
  %280 = icmp sgt i64 %45, 0
  br i1 %280, label %281, label %298

281:
  %282 = getelementptr inbounds i8, ptr %47, i64 32
  %283 = load ptr, ptr %282, align 8
  %284 = getelementptr inbounds i8, ptr %44, i64 16
  %285 = load ptr, ptr %284, align 8
  br label %289

286:
  %287 = add nuw nsw i64 %290, 1
  %288 = icmp eq i64 %287, %45
  br i1 %288, label %298, label %289

289:
  %290 = phi i64 [ 0, %281 ], [ %287, %286 ]
  %291 = getelementptr inbounds i64, ptr %283, i64 %290
  %292 = load i64, ptr %291, align 8
  %293 = getelementptr inbounds i64, ptr %285, i64 %290
  %294 = load i64, ptr %293, align 8
  %295 = icmp eq i64 %292, %294
  br i1 %295, label %286, label %362, !prof !6

296:
  %297 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 2, ptr noundef %3) #10
  br label %1084

298:
  %299 = getelementptr inbounds i8, ptr %47, i64 16
  %300 = load ptr, ptr %299, align 8
  br label %301

301:
  %302 = phi ptr [ %300, %298 ], [ %260, %259 ]
  store ptr %302, ptr %9, align 16
  %303 = getelementptr inbounds i8, ptr %44, i64 40
  %304 = load i64, ptr %303, align 8
  %305 = icmp eq i64 %304, 0
  %306 = getelementptr inbounds i8, ptr %1, i64 8
  %307 = load ptr, ptr %306, align 8
  %308 = getelementptr inbounds i8, ptr %307, i64 8
  %309 = load ptr, ptr %308, align 8
  br i1 %305, label %310, label %318

310:
  %311 = icmp eq ptr %309, %40
  %312 = icmp eq ptr %309, %41
  %313 = select i1 %311, i1 true, i1 %312
  br i1 %313, label %314, label %318

314:
  %315 = getelementptr inbounds i8, ptr %44, i64 72
  %316 = load ptr, ptr %315, align 8
  %317 = icmp eq ptr %316, %42
  br i1 %317, label %356, label %318

318:
  %319 = icmp eq ptr %309, %43
  br i1 %319, label %320, label %296, !prof !6

320:
  %321 = getelementptr inbounds i8, ptr %307, i64 56
  %322 = load ptr, ptr %321, align 8
  %323 = getelementptr inbounds i8, ptr %44, i64 72
  %324 = load ptr, ptr %323, align 8
  %325 = icmp ne ptr %322, %324
  %326 = getelementptr inbounds i8, ptr %307, i64 24
  %327 = load i32, ptr %326, align 8
  %328 = sext i32 %327 to i64
  %329 = icmp ne i64 %304, %328
  %330 = or i1 %325, %329
  %331 = getelementptr inbounds i8, ptr %307, i64 64
  %332 = load i32, ptr %331, align 8
  %333 = and i32 %332, 257
  %334 = icmp ne i32 %333, 257
  %335 = or i1 %330, %334
  br i1 %335, label %296, label %336, !prof !5

336:
  %337 = icmp sgt i64 %304, 0
  br i1 %337, label %338, label %353

338:
  %339 = getelementptr inbounds i8, ptr %307, i64 32
  %340 = load ptr, ptr %339, align 8
  %341 = getelementptr inbounds i8, ptr %44, i64 56
  %342 = load ptr, ptr %341, align 8
  br label %343

343:
  %344 = phi i64 [ 0, %338 ], [ %351, %350 ]
  %345 = getelementptr inbounds i64, ptr %340, i64 %344
  %346 = load i64, ptr %345, align 8
  %347 = getelementptr inbounds i64, ptr %342, i64 %344
  %348 = load i64, ptr %347, align 8
  %349 = icmp eq i64 %346, %348
  br i1 %349, label %350, label %362, !prof !6

350:
  %351 = add nuw nsw i64 %344, 1
  %352 = icmp eq i64 %351, %304
  br i1 %352, label %353, label %343

353:
  %354 = getelementptr inbounds i8, ptr %307, i64 16
  %355 = load ptr, ptr %354, align 8
  br label %358

356:
  %357 = getelementptr inbounds i8, ptr %307, i64 16
  br label %358

358:
  %359 = phi ptr [ %357, %356 ], [ %355, %353 ]
  %360 = getelementptr inbounds i8, ptr %9, i64 8
  store ptr %359, ptr %360, align 8
  %361 = icmp eq ptr %3, null
  br i1 %361, label %364, label %410

362:
  %363 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 2, ptr noundef %3) #10
  br label %1084

364:
  %365 = getelementptr inbounds i8, ptr %44, i64 80
  %366 = getelementptr inbounds i8, ptr %9, i64 16
  %367 = load i64, ptr %365, align 8
  %368 = icmp eq i64 %367, 0
  br i1 %368, label %395, label %369

369:
  %370 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  %371 = getelementptr inbounds i8, ptr %44, i64 112
  %372 = load ptr, ptr %371, align 8
  tail call void %370(ptr noundef %372) #8
  %373 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %374 = load ptr, ptr @python, align 8
  %375 = load ptr, ptr %371, align 8
  %376 = load i64, ptr %365, align 8
  %377 = trunc i64 %376 to i32
  %378 = getelementptr inbounds i8, ptr %44, i64 96
  %379 = load ptr, ptr %378, align 8
  %380 = tail call ptr %373(ptr noundef %374, ptr noundef %375, i32 noundef %377, ptr noundef %379, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %381 = icmp eq ptr %380, null
  br i1 %381, label %1084, label %382, !prof !5

382:
  %383 = getelementptr inbounds i8, ptr %380, i64 16
  %384 = load ptr, ptr %383, align 8
  store ptr %384, ptr %366, align 16
  %385 = load ptr, ptr %11, align 8
  %386 = getelementptr inbounds i8, ptr %11, i64 48
  %387 = load ptr, ptr %386, align 8
  call void %385(ptr noundef nonnull %9, ptr noundef %387) #8
  %388 = getelementptr inbounds i8, ptr %11, i64 72
  %389 = load i64, ptr %388, align 8
  %390 = icmp eq i64 %389, 0
  br i1 %390, label %1084, label %391, !prof !6

391:
  %392 = call zeroext i1 @raise_pending() #10
  br i1 %392, label %393, label %1084

393:
  %394 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %394(ptr noundef nonnull %380) #8
  br label %1084

395:
  store ptr %7, ptr %366, align 16
  %396 = getelementptr inbounds i8, ptr %11, i64 48
  %397 = load ptr, ptr %396, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %397) #8
  %398 = getelementptr inbounds i8, ptr %11, i64 72
  %399 = load i64, ptr %398, align 8
  %400 = icmp eq i64 %399, 0
  br i1 %400, label %403, label %401

401:
  %402 = call zeroext i1 @raise_pending() #10
  br i1 %402, label %408, label %403

403:
  %404 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %405 = getelementptr inbounds i8, ptr %44, i64 112
  %406 = load ptr, ptr %405, align 8
  %407 = call ptr %404(ptr noundef nonnull %7, ptr noundef %406, ptr noundef null) #8
  br label %408

408:
  %409 = phi ptr [ %407, %403 ], [ null, %401 ]
  br label %1084

410:
  %411 = getelementptr inbounds i8, ptr %1, i64 16
  %412 = load ptr, ptr %411, align 8
  %413 = getelementptr inbounds i8, ptr %44, i64 80
  %414 = getelementptr inbounds i8, ptr %3, i64 16
  %415 = load i64, ptr %414, align 8
  %416 = icmp eq i64 %415, 1
  br i1 %416, label %417, label %423, !prof !8

417:
  %418 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 200), align 8
  %419 = getelementptr inbounds i8, ptr %3, i64 %418
  %420 = load ptr, ptr %419, align 8
  %421 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 40), align 8
  %422 = icmp eq ptr %420, %421
  br i1 %422, label %425, label %423, !prof !9

423:
  %424 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 2, ptr noundef nonnull %3) #10
  br label %1084

425:
  %426 = getelementptr inbounds i8, ptr %412, i64 8
  %427 = load ptr, ptr %426, align 8
  %428 = icmp eq ptr %427, %43
  br i1 %428, label %429, label %463, !prof !6

429:
  %430 = getelementptr inbounds i8, ptr %412, i64 56
  %431 = load ptr, ptr %430, align 8
  %432 = getelementptr inbounds i8, ptr %44, i64 112
  %433 = load ptr, ptr %432, align 8
  %434 = icmp ne ptr %431, %433
  %435 = getelementptr inbounds i8, ptr %412, i64 24
  %436 = load i32, ptr %435, align 8
  %437 = sext i32 %436 to i64
  %438 = load i64, ptr %413, align 8
  %439 = icmp ne i64 %438, %437
  %440 = or i1 %434, %439
  %441 = getelementptr inbounds i8, ptr %412, i64 64
  %442 = load i32, ptr %441, align 8
  %443 = and i32 %442, 1281
  %444 = icmp ne i32 %443, 1281
  %445 = or i1 %440, %444
  br i1 %445, label %463, label %446, !prof !5

446:
  %447 = icmp sgt i32 %436, 0
  br i1 %447, label %448, label %465

448:
  %449 = getelementptr inbounds i8, ptr %412, i64 32
  %450 = load ptr, ptr %449, align 8
  %451 = getelementptr inbounds i8, ptr %44, i64 96
  %452 = load ptr, ptr %451, align 8
  br label %456

453:
  %454 = add nuw nsw i64 %457, 1
  %455 = icmp eq i64 %454, %437
  br i1 %455, label %465, label %456

456:
  %457 = phi i64 [ 0, %448 ], [ %454, %453 ]
  %458 = getelementptr inbounds i64, ptr %450, i64 %457
  %459 = load i64, ptr %458, align 8
  %460 = getelementptr inbounds i64, ptr %452, i64 %457
  %461 = load i64, ptr %460, align 8
  %462 = icmp eq i64 %459, %461
  br i1 %462, label %453, label %463, !prof !6

463:
  %464 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 2, ptr noundef nonnull %3) #10
  br label %1084

465:
  %466 = getelementptr inbounds i8, ptr %412, i64 16
  %467 = load ptr, ptr %466, align 8
  %468 = getelementptr inbounds i8, ptr %9, i64 16
  store ptr %467, ptr %468, align 16
  %469 = getelementptr inbounds i8, ptr %11, i64 48
  %470 = load ptr, ptr %469, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %470) #8
  %471 = getelementptr inbounds i8, ptr %11, i64 72
  %472 = load i64, ptr %471, align 8
  %473 = icmp eq i64 %472, 0
  br i1 %473, label %492, label %474

474:
  %475 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 216), align 8
  %476 = getelementptr inbounds i8, ptr %475, i64 8
  %477 = load ptr, ptr %476, align 8
  %478 = icmp eq ptr %477, null
  br i1 %478, label %492, label %479

479:
  %480 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %481 = call i64 %480() #8
  %482 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 208), align 8
  %483 = and i64 %482, %481
  %484 = load i64, ptr %475, align 8
  %485 = icmp eq i64 %483, %484
  br i1 %485, label %486, label %492, !prof !10

486:
  store ptr null, ptr %476, align 8
  %487 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %488 = getelementptr inbounds i8, ptr %475, i64 16
  %489 = load ptr, ptr %488, align 8
  %490 = getelementptr inbounds i8, ptr %475, i64 24
  %491 = load ptr, ptr %490, align 8
  call void %487(ptr noundef nonnull %477, ptr noundef %489, ptr noundef %491) #8
  br label %1084

492:
  %493 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %493(ptr noundef nonnull %412) #8
  br label %1084

494:
  %495 = icmp eq ptr %37, %28
  %496 = icmp eq ptr %37, %29
  %497 = select i1 %495, i1 true, i1 %496
  br i1 %497, label %498, label %504

498:
  %499 = getelementptr inbounds i8, ptr %32, i64 32
  %500 = load ptr, ptr %499, align 8
  %501 = icmp eq ptr %500, %30
  br i1 %501, label %502, label %504

502:
  %503 = getelementptr inbounds i8, ptr %35, i64 16
  br label %544

504:
  %505 = icmp eq ptr %37, %31
  br i1 %505, label %506, label %539, !prof !6

506:
  %507 = getelementptr inbounds i8, ptr %35, i64 56
  %508 = load ptr, ptr %507, align 8
  %509 = getelementptr inbounds i8, ptr %32, i64 32
  %510 = load ptr, ptr %509, align 8
  %511 = icmp ne ptr %508, %510
  %512 = getelementptr inbounds i8, ptr %35, i64 24
  %513 = load i32, ptr %512, align 8
  %514 = sext i32 %513 to i64
  %515 = icmp ne i64 %33, %514
  %516 = or i1 %511, %515
  %517 = getelementptr inbounds i8, ptr %35, i64 64
  %518 = load i32, ptr %517, align 8
  %519 = and i32 %518, 257
  %520 = icmp ne i32 %519, 257
  %521 = or i1 %516, %520
  br i1 %521, label %539, label %522, !prof !5

522:
  %523 = icmp sgt i64 %33, 0
  br i1 %523, label %524, label %541

524:
  %525 = getelementptr inbounds i8, ptr %35, i64 32
  %526 = load ptr, ptr %525, align 8
  %527 = getelementptr inbounds i8, ptr %32, i64 16
  %528 = load ptr, ptr %527, align 8
  br label %532

529:
  %530 = add nuw nsw i64 %533, 1
  %531 = icmp eq i64 %530, %33
  br i1 %531, label %541, label %532

532:
  %533 = phi i64 [ 0, %524 ], [ %530, %529 ]
  %534 = getelementptr inbounds i64, ptr %526, i64 %533
  %535 = load i64, ptr %534, align 8
  %536 = getelementptr inbounds i64, ptr %528, i64 %533
  %537 = load i64, ptr %536, align 8
  %538 = icmp eq i64 %535, %537
  br i1 %538, label %529, label %663, !prof !6

539:
  %540 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 3, ptr noundef %3) #10
  br label %1084

541:
  %542 = getelementptr inbounds i8, ptr %35, i64 16
  %543 = load ptr, ptr %542, align 8
  br label %544

544:
  %545 = phi ptr [ %543, %541 ], [ %503, %502 ]
  store ptr %545, ptr %9, align 16
  %546 = getelementptr inbounds i8, ptr %32, i64 40
  %547 = load i64, ptr %546, align 8
  %548 = icmp eq i64 %547, 0
  %549 = getelementptr inbounds i8, ptr %1, i64 8
  %550 = load ptr, ptr %549, align 8
  %551 = getelementptr inbounds i8, ptr %550, i64 8
  %552 = load ptr, ptr %551, align 8
  br i1 %548, label %553, label %561

553:
  %554 = icmp eq ptr %552, %28
  %555 = icmp eq ptr %552, %29
  %556 = select i1 %554, i1 true, i1 %555
  br i1 %556, label %557, label %561

557:
  %558 = getelementptr inbounds i8, ptr %32, i64 72
  %559 = load ptr, ptr %558, align 8
  %560 = icmp eq ptr %559, %30
  br i1 %560, label %599, label %561

561:
  %562 = icmp eq ptr %552, %31
  br i1 %562, label %563, label %539, !prof !6

563:
  %564 = getelementptr inbounds i8, ptr %550, i64 56
  %565 = load ptr, ptr %564, align 8
  %566 = getelementptr inbounds i8, ptr %32, i64 72
  %567 = load ptr, ptr %566, align 8
  %568 = icmp ne ptr %565, %567
  %569 = getelementptr inbounds i8, ptr %550, i64 24
  %570 = load i32, ptr %569, align 8
  %571 = sext i32 %570 to i64
  %572 = icmp ne i64 %547, %571
  %573 = or i1 %568, %572
  %574 = getelementptr inbounds i8, ptr %550, i64 64
  %575 = load i32, ptr %574, align 8
  %576 = and i32 %575, 257
  %577 = icmp ne i32 %576, 257
  %578 = or i1 %573, %577
  br i1 %578, label %539, label %579, !prof !5

579:
  %580 = icmp sgt i64 %547, 0
  br i1 %580, label %581, label %596

581:
  %582 = getelementptr inbounds i8, ptr %550, i64 32
  %583 = load ptr, ptr %582, align 8
  %584 = getelementptr inbounds i8, ptr %32, i64 56
  %585 = load ptr, ptr %584, align 8
  br label %586

586:
  %587 = phi i64 [ 0, %581 ], [ %594, %593 ]
  %588 = getelementptr inbounds i64, ptr %583, i64 %587
  %589 = load i64, ptr %588, align 8
  %590 = getelementptr inbounds i64, ptr %585, i64 %587
  %591 = load i64, ptr %590, align 8
  %592 = icmp eq i64 %589, %591
  br i1 %592, label %593, label %663, !prof !6

593:
  %594 = add nuw nsw i64 %587, 1
  %595 = icmp eq i64 %594, %547
  br i1 %595, label %596, label %586

596:
  %597 = getelementptr inbounds i8, ptr %550, i64 16
  %598 = load ptr, ptr %597, align 8
  br label %601

599:
  %600 = getelementptr inbounds i8, ptr %550, i64 16
  br label %601

601:
  %602 = phi ptr [ %600, %599 ], [ %598, %596 ]
  %603 = getelementptr inbounds i8, ptr %9, i64 8
  store ptr %602, ptr %603, align 8
  %604 = getelementptr inbounds i8, ptr %32, i64 80
  %605 = load i64, ptr %604, align 8
  %606 = icmp eq i64 %605, 0
  %607 = getelementptr inbounds i8, ptr %1, i64 16
  %608 = load ptr, ptr %607, align 8
  %609 = getelementptr inbounds i8, ptr %608, i64 8
  %610 = load ptr, ptr %609, align 8
  br i1 %606, label %611, label %619

611:
  %612 = icmp eq ptr %610, %28
  %613 = icmp eq ptr %610, %29
  %614 = select i1 %612, i1 true, i1 %613
  br i1 %614, label %615, label %619

615:
  %616 = getelementptr inbounds i8, ptr %32, i64 112
  %617 = load ptr, ptr %616, align 8
  %618 = icmp eq ptr %617, %30
  br i1 %618, label %657, label %619

619:
  %620 = icmp eq ptr %610, %31
  br i1 %620, label %621, label %539, !prof !6

621:
  %622 = getelementptr inbounds i8, ptr %608, i64 56
  %623 = load ptr, ptr %622, align 8
  %624 = getelementptr inbounds i8, ptr %32, i64 112
  %625 = load ptr, ptr %624, align 8
  %626 = icmp ne ptr %623, %625
  %627 = getelementptr inbounds i8, ptr %608, i64 24
  %628 = load i32, ptr %627, align 8
  %629 = sext i32 %628 to i64
  %630 = icmp ne i64 %605, %629
  %631 = or i1 %626, %630
  %632 = getelementptr inbounds i8, ptr %608, i64 64
  %633 = load i32, ptr %632, align 8
  %634 = and i32 %633, 257
  %635 = icmp ne i32 %634, 257
  %636 = or i1 %631, %635
  br i1 %636, label %539, label %637, !prof !5

637:
  %638 = icmp sgt i64 %605, 0
  br i1 %638, label %639, label %654

639:
  %640 = getelementptr inbounds i8, ptr %608, i64 32
  %641 = load ptr, ptr %640, align 8
  %642 = getelementptr inbounds i8, ptr %32, i64 96
  %643 = load ptr, ptr %642, align 8
  br label %644

644:
  %645 = phi i64 [ 0, %639 ], [ %652, %651 ]
  %646 = getelementptr inbounds i64, ptr %641, i64 %645
  %647 = load i64, ptr %646, align 8
  %648 = getelementptr inbounds i64, ptr %643, i64 %645
  %649 = load i64, ptr %648, align 8
  %650 = icmp eq i64 %647, %649
  br i1 %650, label %651, label %663, !prof !6

651:
  %652 = add nuw nsw i64 %645, 1
  %653 = icmp eq i64 %652, %605
  br i1 %653, label %654, label %644

654:
  %655 = getelementptr inbounds i8, ptr %608, i64 16
  %656 = load ptr, ptr %655, align 8
  br label %659

657:
  %658 = getelementptr inbounds i8, ptr %608, i64 16
  br label %659

659:
  %660 = phi ptr [ %658, %657 ], [ %656, %654 ]
  %661 = getelementptr inbounds i8, ptr %9, i64 16
  store ptr %660, ptr %661, align 16
  %662 = icmp eq ptr %3, null
  br i1 %662, label %665, label %711

663:
  %664 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 3, ptr noundef %3) #10
  br label %1084

665:
  %666 = getelementptr inbounds i8, ptr %32, i64 120
  %667 = getelementptr inbounds i8, ptr %9, i64 24
  %668 = load i64, ptr %666, align 8
  %669 = icmp eq i64 %668, 0
  br i1 %669, label %696, label %670

670:
  %671 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  %672 = getelementptr inbounds i8, ptr %32, i64 152
  %673 = load ptr, ptr %672, align 8
  tail call void %671(ptr noundef %673) #8
  %674 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %675 = load ptr, ptr @python, align 8
  %676 = load ptr, ptr %672, align 8
  %677 = load i64, ptr %666, align 8
  %678 = trunc i64 %677 to i32
  %679 = getelementptr inbounds i8, ptr %32, i64 136
  %680 = load ptr, ptr %679, align 8
  %681 = tail call ptr %674(ptr noundef %675, ptr noundef %676, i32 noundef %678, ptr noundef %680, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %682 = icmp eq ptr %681, null
  br i1 %682, label %1084, label %683, !prof !5

683:
  %684 = getelementptr inbounds i8, ptr %681, i64 16
  %685 = load ptr, ptr %684, align 8
  store ptr %685, ptr %667, align 8
  %686 = load ptr, ptr %11, align 8
  %687 = getelementptr inbounds i8, ptr %11, i64 48
  %688 = load ptr, ptr %687, align 8
  call void %686(ptr noundef nonnull %9, ptr noundef %688) #8
  %689 = getelementptr inbounds i8, ptr %11, i64 72
  %690 = load i64, ptr %689, align 8
  %691 = icmp eq i64 %690, 0
  br i1 %691, label %1084, label %692, !prof !6

692:
  %693 = call zeroext i1 @raise_pending() #10
  br i1 %693, label %694, label %1084

694:
  %695 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %695(ptr noundef nonnull %681) #8
  br label %1084

696:
  store ptr %6, ptr %667, align 8
  %697 = getelementptr inbounds i8, ptr %11, i64 48
  %698 = load ptr, ptr %697, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %698) #8
  %699 = getelementptr inbounds i8, ptr %11, i64 72
  %700 = load i64, ptr %699, align 8
  %701 = icmp eq i64 %700, 0
  br i1 %701, label %704, label %702

702:
  %703 = call zeroext i1 @raise_pending() #10
  br i1 %703, label %709, label %704

704:
  %705 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %706 = getelementptr inbounds i8, ptr %32, i64 152
  %707 = load ptr, ptr %706, align 8
  %708 = call ptr %705(ptr noundef nonnull %6, ptr noundef %707, ptr noundef null) #8
  br label %709

709:
  %710 = phi ptr [ %708, %704 ], [ null, %702 ]
  br label %1084

711:
  %712 = getelementptr inbounds i8, ptr %1, i64 24
  %713 = load ptr, ptr %712, align 8
  %714 = getelementptr inbounds i8, ptr %32, i64 120
  %715 = getelementptr inbounds i8, ptr %3, i64 16
  %716 = load i64, ptr %715, align 8
  %717 = icmp eq i64 %716, 1
  br i1 %717, label %718, label %724, !prof !8

718:
  %719 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 200), align 8
  %720 = getelementptr inbounds i8, ptr %3, i64 %719
  %721 = load ptr, ptr %720, align 8
  %722 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 40), align 8
  %723 = icmp eq ptr %721, %722
  br i1 %723, label %726, label %724, !prof !9

724:
  %725 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 3, ptr noundef nonnull %3) #10
  br label %1084

726:
  %727 = getelementptr inbounds i8, ptr %713, i64 8
  %728 = load ptr, ptr %727, align 8
  %729 = icmp eq ptr %728, %31
  br i1 %729, label %730, label %764, !prof !6

730:
  %731 = getelementptr inbounds i8, ptr %713, i64 56
  %732 = load ptr, ptr %731, align 8
  %733 = getelementptr inbounds i8, ptr %32, i64 152
  %734 = load ptr, ptr %733, align 8
  %735 = icmp ne ptr %732, %734
  %736 = getelementptr inbounds i8, ptr %713, i64 24
  %737 = load i32, ptr %736, align 8
  %738 = sext i32 %737 to i64
  %739 = load i64, ptr %714, align 8
  %740 = icmp ne i64 %739, %738
  %741 = or i1 %735, %740
  %742 = getelementptr inbounds i8, ptr %713, i64 64
  %743 = load i32, ptr %742, align 8
  %744 = and i32 %743, 1281
  %745 = icmp ne i32 %744, 1281
  %746 = or i1 %741, %745
  br i1 %746, label %764, label %747, !prof !5

747:
  %748 = icmp sgt i32 %737, 0
  br i1 %748, label %749, label %766

749:
  %750 = getelementptr inbounds i8, ptr %713, i64 32
  %751 = load ptr, ptr %750, align 8
  %752 = getelementptr inbounds i8, ptr %32, i64 136
  %753 = load ptr, ptr %752, align 8
  br label %757

754:
  %755 = add nuw nsw i64 %758, 1
  %756 = icmp eq i64 %755, %738
  br i1 %756, label %766, label %757

757:
  %758 = phi i64 [ 0, %749 ], [ %755, %754 ]
  %759 = getelementptr inbounds i64, ptr %751, i64 %758
  %760 = load i64, ptr %759, align 8
  %761 = getelementptr inbounds i64, ptr %753, i64 %758
  %762 = load i64, ptr %761, align 8
  %763 = icmp eq i64 %760, %762
  br i1 %763, label %754, label %764, !prof !6

764:
  %765 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 3, ptr noundef nonnull %3) #10
  br label %1084

766:
  %767 = getelementptr inbounds i8, ptr %713, i64 16
  %768 = load ptr, ptr %767, align 8
  %769 = getelementptr inbounds i8, ptr %9, i64 24
  store ptr %768, ptr %769, align 8
  %770 = getelementptr inbounds i8, ptr %11, i64 48
  %771 = load ptr, ptr %770, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %771) #8
  %772 = getelementptr inbounds i8, ptr %11, i64 72
  %773 = load i64, ptr %772, align 8
  %774 = icmp eq i64 %773, 0
  br i1 %774, label %793, label %775

775:
  %776 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 216), align 8
  %777 = getelementptr inbounds i8, ptr %776, i64 8
  %778 = load ptr, ptr %777, align 8
  %779 = icmp eq ptr %778, null
  br i1 %779, label %793, label %780

780:
  %781 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %782 = call i64 %781() #8
  %783 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 208), align 8
  %784 = and i64 %783, %782
  %785 = load i64, ptr %776, align 8
  %786 = icmp eq i64 %784, %785
  br i1 %786, label %787, label %793, !prof !10

787:
  store ptr null, ptr %777, align 8
  %788 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %789 = getelementptr inbounds i8, ptr %776, i64 16
  %790 = load ptr, ptr %789, align 8
  %791 = getelementptr inbounds i8, ptr %776, i64 24
  %792 = load ptr, ptr %791, align 8
  call void %788(ptr noundef nonnull %778, ptr noundef %790, ptr noundef %792) #8
  br label %1084

793:
  %794 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %794(ptr noundef nonnull %713) #8
  br label %1084

795:
  %796 = add nsw i64 %14, %12
  %797 = icmp sgt i64 %796, 32
  br i1 %797, label %807, label %798, !prof !5

798:
  %799 = icmp eq i64 %12, 0
  br i1 %799, label %875, label %800

800:
  %801 = getelementptr inbounds i8, ptr %11, i64 56
  %802 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %803 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %804 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %805 = load ptr, ptr @python, align 8
  %806 = load ptr, ptr %801, align 8
  br label %809

807:
  %808 = tail call fastcc ptr @call_row_of_many(ptr noundef nonnull %0, ptr noundef %1, i64 noundef %12, ptr noundef %3) #10
  br label %1084

809:
  %810 = phi i64 [ 0, %800 ], [ %871, %868 ]
  %811 = getelementptr inbounds %struct.Slot, ptr %806, i64 %810
  %812 = load i64, ptr %811, align 8
  %813 = icmp eq i64 %812, 0
  %814 = getelementptr inbounds ptr, ptr %1, i64 %810
  %815 = load ptr, ptr %814, align 8
  %816 = getelementptr inbounds i8, ptr %815, i64 8
  %817 = load ptr, ptr %816, align 8
  br i1 %813, label %818, label %828

818:
  %819 = icmp eq ptr %817, %802
  %820 = icmp eq ptr %817, %803
  %821 = select i1 %819, i1 true, i1 %820
  br i1 %821, label %822, label %828

822:
  %823 = getelementptr inbounds i8, ptr %811, i64 32
  %824 = load ptr, ptr %823, align 8
  %825 = icmp eq ptr %824, %804
  br i1 %825, label %826, label %828

826:
  %827 = getelementptr inbounds i8, ptr %815, i64 16
  br label %868

828:
  %829 = icmp eq ptr %817, %805
  br i1 %829, label %830, label %863, !prof !6

830:
  %831 = getelementptr inbounds i8, ptr %815, i64 56
  %832 = load ptr, ptr %831, align 8
  %833 = getelementptr inbounds i8, ptr %811, i64 32
  %834 = load ptr, ptr %833, align 8
  %835 = icmp ne ptr %832, %834
  %836 = getelementptr inbounds i8, ptr %815, i64 24
  %837 = load i32, ptr %836, align 8
  %838 = sext i32 %837 to i64
  %839 = icmp ne i64 %812, %838
  %840 = or i1 %835, %839
  %841 = getelementptr inbounds i8, ptr %815, i64 64
  %842 = load i32, ptr %841, align 8
  %843 = and i32 %842, 257
  %844 = icmp ne i32 %843, 257
  %845 = or i1 %840, %844
  br i1 %845, label %863, label %846, !prof !5

846:
  %847 = icmp sgt i64 %812, 0
  br i1 %847, label %848, label %865

848:
  %849 = getelementptr inbounds i8, ptr %815, i64 32
  %850 = load ptr, ptr %849, align 8
  %851 = getelementptr inbounds i8, ptr %811, i64 16
  %852 = load ptr, ptr %851, align 8
  br label %856

853:
  %854 = add nuw nsw i64 %857, 1
  %855 = icmp eq i64 %854, %812
  br i1 %855, label %865, label %856

856:
  %857 = phi i64 [ 0, %848 ], [ %854, %853 ]
  %858 = getelementptr inbounds i64, ptr %850, i64 %857
  %859 = load i64, ptr %858, align 8
  %860 = getelementptr inbounds i64, ptr %852, i64 %857
  %861 = load i64, ptr %860, align 8
  %862 = icmp eq i64 %859, %861
  br i1 %862, label %853, label %873, !prof !6

863:
  %864 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %12, ptr noundef %3) #10
  br label %1084

865:
  %866 = getelementptr inbounds i8, ptr %815, i64 16
  %867 = load ptr, ptr %866, align 8
  br label %868

868:
  %869 = phi ptr [ %867, %865 ], [ %827, %826 ]
  %870 = getelementptr inbounds ptr, ptr %9, i64 %810
  store ptr %869, ptr %870, align 8
  %871 = add nuw nsw i64 %810, 1
  %872 = icmp eq i64 %871, %12
  br i1 %872, label %875, label %809

873:
  %874 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %12, ptr noundef %3) #10
  br label %1084

875:
  %876 = icmp eq ptr %3, null
  br i1 %876, label %877, label %928

877:
  br i1 %24, label %878, label %926

878:
  %879 = getelementptr inbounds i8, ptr %11, i64 56
  %880 = load ptr, ptr %879, align 8
  %881 = getelementptr inbounds %struct.Slot, ptr %880, i64 %12
  %882 = getelementptr inbounds ptr, ptr %9, i64 %12
  %883 = load i64, ptr %881, align 8
  %884 = icmp eq i64 %883, 0
  br i1 %884, label %911, label %885

885:
  %886 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  %887 = getelementptr inbounds i8, ptr %881, i64 32
  %888 = load ptr, ptr %887, align 8
  tail call void %886(ptr noundef %888) #8
  %889 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %890 = load ptr, ptr @python, align 8
  %891 = load ptr, ptr %887, align 8
  %892 = load i64, ptr %881, align 8
  %893 = trunc i64 %892 to i32
  %894 = getelementptr inbounds i8, ptr %881, i64 16
  %895 = load ptr, ptr %894, align 8
  %896 = tail call ptr %889(ptr noundef %890, ptr noundef %891, i32 noundef %893, ptr noundef %895, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %897 = icmp eq ptr %896, null
  br i1 %897, label %1084, label %898, !prof !5

898:
  %899 = getelementptr inbounds i8, ptr %896, i64 16
  %900 = load ptr, ptr %899, align 8
  store ptr %900, ptr %882, align 8
  %901 = load ptr, ptr %11, align 8
  %902 = getelementptr inbounds i8, ptr %11, i64 48
  %903 = load ptr, ptr %902, align 8
  call void %901(ptr noundef nonnull %9, ptr noundef %903) #8
  %904 = getelementptr inbounds i8, ptr %11, i64 72
  %905 = load i64, ptr %904, align 8
  %906 = icmp eq i64 %905, 0
  br i1 %906, label %1084, label %907, !prof !6

907:
  %908 = call zeroext i1 @raise_pending() #10
  br i1 %908, label %909, label %1084

909:
  %910 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %910(ptr noundef nonnull %896) #8
  br label %1084

911:
  store ptr %5, ptr %882, align 8
  %912 = getelementptr inbounds i8, ptr %11, i64 48
  %913 = load ptr, ptr %912, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %913) #8
  %914 = getelementptr inbounds i8, ptr %11, i64 72
  %915 = load i64, ptr %914, align 8
  %916 = icmp eq i64 %915, 0
  br i1 %916, label %919, label %917

917:
  %918 = call zeroext i1 @raise_pending() #10
  br i1 %918, label %924, label %919

919:
  %920 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %921 = getelementptr inbounds i8, ptr %881, i64 32
  %922 = load ptr, ptr %921, align 8
  %923 = call ptr %920(ptr noundef nonnull %5, ptr noundef %922, ptr noundef null) #8
  br label %924

924:
  %925 = phi ptr [ %923, %919 ], [ null, %917 ]
  br label %1084

926:
  %927 = call fastcc ptr @make_results(ptr noundef %11, ptr noundef nonnull %9) #10
  br label %1084

928:
  %929 = getelementptr inbounds ptr, ptr %1, i64 %12
  %930 = load ptr, ptr %929, align 8
  %931 = getelementptr inbounds i8, ptr %11, i64 56
  %932 = load ptr, ptr %931, align 8
  %933 = getelementptr inbounds %struct.Slot, ptr %932, i64 %12
  %934 = getelementptr inbounds i8, ptr %3, i64 16
  %935 = load i64, ptr %934, align 8
  %936 = icmp eq i64 %935, 1
  br i1 %936, label %937, label %943, !prof !8

937:
  %938 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 200), align 8
  %939 = getelementptr inbounds i8, ptr %3, i64 %938
  %940 = load ptr, ptr %939, align 8
  %941 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 40), align 8
  %942 = icmp eq ptr %940, %941
  br i1 %942, label %945, label %943, !prof !9

943:
  %944 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %12, ptr noundef nonnull %3) #10
  br label %1084

945:
  %946 = getelementptr inbounds i8, ptr %930, i64 8
  %947 = load ptr, ptr %946, align 8
  br i1 %24, label %948, label %991

948:
  %949 = load ptr, ptr @python, align 8
  %950 = icmp eq ptr %947, %949
  br i1 %950, label %951, label %985, !prof !6

951:
  %952 = getelementptr inbounds i8, ptr %930, i64 56
  %953 = load ptr, ptr %952, align 8
  %954 = getelementptr inbounds i8, ptr %933, i64 32
  %955 = load ptr, ptr %954, align 8
  %956 = icmp ne ptr %953, %955
  %957 = getelementptr inbounds i8, ptr %930, i64 24
  %958 = load i32, ptr %957, align 8
  %959 = sext i32 %958 to i64
  %960 = load i64, ptr %933, align 8
  %961 = icmp ne i64 %960, %959
  %962 = or i1 %956, %961
  %963 = getelementptr inbounds i8, ptr %930, i64 64
  %964 = load i32, ptr %963, align 8
  %965 = and i32 %964, 1281
  %966 = icmp ne i32 %965, 1281
  %967 = or i1 %962, %966
  br i1 %967, label %985, label %968, !prof !5

968:
  %969 = icmp sgt i32 %958, 0
  br i1 %969, label %970, label %987

970:
  %971 = getelementptr inbounds i8, ptr %930, i64 32
  %972 = load ptr, ptr %971, align 8
  %973 = getelementptr inbounds i8, ptr %933, i64 16
  %974 = load ptr, ptr %973, align 8
  br label %978

975:
  %976 = add nuw nsw i64 %979, 1
  %977 = icmp eq i64 %976, %959
  br i1 %977, label %987, label %978

978:
  %979 = phi i64 [ 0, %970 ], [ %976, %975 ]
  %980 = getelementptr inbounds i64, ptr %972, i64 %979
  %981 = load i64, ptr %980, align 8
  %982 = getelementptr inbounds i64, ptr %974, i64 %979
  %983 = load i64, ptr %982, align 8
  %984 = icmp eq i64 %981, %983
  br i1 %984, label %975, label %985, !prof !6

985:
  %986 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %12, ptr noundef nonnull %3) #10
  br label %1084

987:
  %988 = getelementptr inbounds i8, ptr %930, i64 16
  %989 = load ptr, ptr %988, align 8
  %990 = getelementptr inbounds ptr, ptr %9, i64 %12
  store ptr %989, ptr %990, align 8
  br label %1058

991:
  %992 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 16), align 8
  %993 = icmp eq ptr %947, %992
  br i1 %993, label %994, label %1004, !prof !8

994:
  %995 = getelementptr inbounds i8, ptr %930, i64 16
  %996 = load i64, ptr %995, align 8
  %997 = icmp eq i64 %996, %14
  br i1 %997, label %998, label %1004, !prof !9

998:
  %999 = getelementptr ptr, ptr %9, i64 %12
  %1000 = icmp sgt i64 %14, 0
  br i1 %1000, label %1001, label %1058

1001:
  %1002 = getelementptr inbounds i8, ptr %930, i64 %938
  %1003 = load ptr, ptr @python, align 8
  br label %1006

1004:
  %1005 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %12, ptr noundef nonnull %3) #10
  br label %1084

1006:
  %1007 = phi i64 [ 0, %1001 ], [ %1054, %1050 ]
  %1008 = getelementptr inbounds ptr, ptr %1002, i64 %1007
  %1009 = load ptr, ptr %1008, align 8
  %1010 = getelementptr inbounds %struct.Slot, ptr %933, i64 %1007
  %1011 = getelementptr inbounds i8, ptr %1009, i64 8
  %1012 = load ptr, ptr %1011, align 8
  %1013 = icmp eq ptr %1012, %1003
  br i1 %1013, label %1014, label %1048, !prof !6

1014:
  %1015 = getelementptr inbounds i8, ptr %1009, i64 56
  %1016 = load ptr, ptr %1015, align 8
  %1017 = getelementptr inbounds i8, ptr %1010, i64 32
  %1018 = load ptr, ptr %1017, align 8
  %1019 = icmp ne ptr %1016, %1018
  %1020 = getelementptr inbounds i8, ptr %1009, i64 24
  %1021 = load i32, ptr %1020, align 8
  %1022 = sext i32 %1021 to i64
  %1023 = load i64, ptr %1010, align 8
  %1024 = icmp ne i64 %1023, %1022
  %1025 = or i1 %1019, %1024
  %1026 = getelementptr inbounds i8, ptr %1009, i64 64
  %1027 = load i32, ptr %1026, align 8
  %1028 = and i32 %1027, 1281
  %1029 = icmp ne i32 %1028, 1281
  %1030 = or i1 %1025, %1029
  br i1 %1030, label %1048, label %1031, !prof !5

1031:
  %1032 = icmp sgt i32 %1021, 0
  br i1 %1032, label %1033, label %1050

1033:
  %1034 = getelementptr inbounds i8, ptr %1009, i64 32
  %1035 = load ptr, ptr %1034, align 8
  %1036 = getelementptr inbounds i8, ptr %1010, i64 16
  %1037 = load ptr, ptr %1036, align 8
  br label %1041

1038:
  %1039 = add nuw nsw i64 %1042, 1
  %1040 = icmp eq i64 %1039, %1022
  br i1 %1040, label %1050, label %1041

1041:
  %1042 = phi i64 [ 0, %1033 ], [ %1039, %1038 ]
  %1043 = getelementptr inbounds i64, ptr %1035, i64 %1042
  %1044 = load i64, ptr %1043, align 8
  %1045 = getelementptr inbounds i64, ptr %1037, i64 %1042
  %1046 = load i64, ptr %1045, align 8
  %1047 = icmp eq i64 %1044, %1046
  br i1 %1047, label %1038, label %1056, !prof !6

1048:
  %1049 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %12, ptr noundef nonnull %3) #10
  br label %1084

1050:
  %1051 = getelementptr inbounds i8, ptr %1009, i64 16
  %1052 = load ptr, ptr %1051, align 8
  %1053 = getelementptr ptr, ptr %999, i64 %1007
  store ptr %1052, ptr %1053, align 8
  %1054 = add nuw nsw i64 %1007, 1
  %1055 = icmp eq i64 %1054, %14
  br i1 %1055, label %1058, label %1006

1056:
  %1057 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %12, ptr noundef nonnull %3) #10
  br label %1084

1058:
  %1059 = getelementptr inbounds i8, ptr %11, i64 48
  %1060 = load ptr, ptr %1059, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %1060) #8
  %1061 = getelementptr inbounds i8, ptr %11, i64 72
  %1062 = load i64, ptr %1061, align 8
  %1063 = icmp eq i64 %1062, 0
  br i1 %1063, label %1082, label %1064

1064:
  %1065 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 216), align 8
  %1066 = getelementptr inbounds i8, ptr %1065, i64 8
  %1067 = load ptr, ptr %1066, align 8
  %1068 = icmp eq ptr %1067, null
  br i1 %1068, label %1082, label %1069

1069:
  %1070 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %1071 = call i64 %1070() #8
  %1072 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 208), align 8
  %1073 = and i64 %1072, %1071
  %1074 = load i64, ptr %1065, align 8
  %1075 = icmp eq i64 %1073, %1074
  br i1 %1075, label %1076, label %1082, !prof !10

1076:
  store ptr null, ptr %1066, align 8
  %1077 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %1078 = getelementptr inbounds i8, ptr %1065, i64 16
  %1079 = load ptr, ptr %1078, align 8
  %1080 = getelementptr inbounds i8, ptr %1065, i64 24
  %1081 = load ptr, ptr %1080, align 8
  call void %1077(ptr noundef nonnull %1067, ptr noundef %1079, ptr noundef %1081) #8
  br label %1084

1082:
  %1083 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %1083(ptr noundef %930) #8
  br label %1084

1084:
  %1085 = phi ptr [ %22, %21 ], [ %808, %807 ], [ %120, %119 ], [ %181, %180 ], [ %221, %220 ], [ %169, %249 ], [ null, %243 ], [ %112, %111 ], [ %166, %165 ], [ null, %150 ], [ null, %126 ], [ %137, %148 ], [ %137, %139 ], [ %363, %362 ], [ %424, %423 ], [ %464, %463 ], [ %412, %492 ], [ null, %486 ], [ %297, %296 ], [ %409, %408 ], [ null, %393 ], [ null, %369 ], [ %380, %391 ], [ %380, %382 ], [ %664, %663 ], [ %725, %724 ], [ %765, %764 ], [ %713, %793 ], [ null, %787 ], [ %540, %539 ], [ %710, %709 ], [ null, %694 ], [ null, %670 ], [ %681, %692 ], [ %681, %683 ], [ %874, %873 ], [ %927, %926 ], [ %944, %943 ], [ %986, %985 ], [ %930, %1082 ], [ %1005, %1004 ], [ %1057, %1056 ], [ null, %1076 ], [ %864, %863 ], [ %925, %924 ], [ null, %909 ], [ null, %885 ], [ %896, %907 ], [ %896, %898 ], [ %1049, %1048 ]
  ret ptr %1085
}

define internal fastcc ptr @call_batch(ptr noundef %0, ptr nocapture noundef readonly %1, i64 noundef %2, ptr noundef %3) unnamed_addr #0 {
  %5 = alloca [33 x i64], align 16
  %6 = alloca i64, align 8
  %7 = getelementptr inbounds i8, ptr %0, i64 24
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds i8, ptr %8, i64 24
  %10 = load i64, ptr %9, align 8
  %11 = getelementptr inbounds i8, ptr %8, i64 32
  %12 = load i64, ptr %11, align 8
  store i64 -1, ptr %6, align 8
  %13 = getelementptr inbounds i8, ptr %8, i64 16
  %14 = load i64, ptr %13, align 8
  %15 = icmp sgt i64 %14, 0
  %16 = icmp eq i64 %10, %2
  %17 = select i1 %15, i1 %16, i1 false
  br i1 %17, label %20, label %18

18:
  %19 = tail call fastcc ptr @call_from_python(ptr noundef nonnull %0, ptr noundef %1, i64 noundef %2, ptr noundef %3) #10
  br label %239

20:
  %21 = add nsw i64 %12, %2
  %22 = tail call ptr @llvm.stacksave.p0()
  %23 = alloca ptr, i64 %21, align 16
  %24 = getelementptr inbounds i8, ptr %8, i64 40
  %25 = load i64, ptr %24, align 8
  %26 = alloca i64, i64 %25, align 16
  %27 = icmp sgt i64 %25, 0
  br i1 %27, label %28, label %31

28:
  %29 = getelementptr inbounds i8, ptr %8, i64 48
  %30 = load ptr, ptr %29, align 8
  br label %35

31:
  %32 = icmp sgt i64 %2, 0
  br i1 %32, label %33, label %63

33:
  %34 = getelementptr inbounds i8, ptr %8, i64 56
  br label %45

35:
  %36 = phi i64 [ 0, %28 ], [ %40, %35 ]
  %37 = getelementptr inbounds i64, ptr %30, i64 %36
  %38 = load i64, ptr %37, align 8
  %39 = getelementptr inbounds i64, ptr %26, i64 %36
  store i64 %38, ptr %39, align 8
  %40 = add nuw nsw i64 %36, 1
  %41 = icmp slt i64 %40, %25
  br i1 %41, label %35, label %31

42:
  %43 = add nuw nsw i64 %46, 1
  %44 = icmp eq i64 %43, %2
  br i1 %44, label %57, label %45

45:
  %46 = phi i64 [ 0, %33 ], [ %43, %42 ]
  %47 = getelementptr inbounds ptr, ptr %1, i64 %46
  %48 = load ptr, ptr %47, align 8
  %49 = load ptr, ptr %34, align 8
  %50 = getelementptr inbounds %struct.Slot, ptr %49, i64 %46
  %51 = getelementptr inbounds ptr, ptr %23, i64 %46
  %52 = call fastcc i64 @row_step(ptr noundef %48, ptr noundef %50, ptr noundef nonnull %51, ptr noundef nonnull %6, i32 noundef 256) #10
  %53 = getelementptr inbounds i64, ptr %26, i64 %46
  store i64 %52, ptr %53, align 8
  %54 = icmp eq i64 %52, -1
  br i1 %54, label %55, label %42

55:
  %56 = tail call fastcc ptr @call_from_python(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %2, ptr noundef %3) #10
  br label %237

57:
  %58 = load i64, ptr %6, align 8
  %59 = icmp slt i64 %58, 1
  br i1 %59, label %63, label %60

60:
  %61 = load i64, ptr %13, align 8
  %62 = icmp sgt i64 %58, %61
  br i1 %62, label %63, label %65

63:
  %64 = tail call fastcc ptr @call_from_python(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3) #10
  br label %237

65:
  %66 = icmp eq ptr %3, null
  br i1 %66, label %162, label %67

67:
  %68 = getelementptr inbounds ptr, ptr %1, i64 %2
  %69 = load ptr, ptr %68, align 8
  %70 = getelementptr inbounds i8, ptr %3, i64 16
  %71 = load i64, ptr %70, align 8
  %72 = icmp eq i64 %71, 1
  br i1 %72, label %73, label %151

73:
  %74 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 200), align 8
  %75 = getelementptr inbounds i8, ptr %3, i64 %74
  %76 = load ptr, ptr %75, align 8
  %77 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 40), align 8
  %78 = icmp eq ptr %76, %77
  br i1 %78, label %79, label %151

79:
  %80 = load i64, ptr %9, align 8
  %81 = load i64, ptr %11, align 8
  %82 = icmp sgt i64 %81, 1
  br i1 %82, label %83, label %92

83:
  %84 = getelementptr inbounds i8, ptr %69, i64 8
  %85 = load ptr, ptr %84, align 8
  %86 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 16), align 8
  %87 = icmp eq ptr %85, %86
  br i1 %87, label %88, label %151

88:
  %89 = getelementptr inbounds i8, ptr %69, i64 16
  %90 = load i64, ptr %89, align 8
  %91 = icmp eq i64 %90, %81
  br i1 %91, label %94, label %151

92:
  %93 = icmp eq i64 %81, 1
  br i1 %93, label %94, label %153

94:
  %95 = add nsw i64 %81, %80
  %96 = icmp eq i64 %81, 1
  %97 = getelementptr inbounds i8, ptr %69, i64 %74
  %98 = getelementptr inbounds i8, ptr %8, i64 56
  br label %99

99:
  %100 = phi i64 [ %80, %94 ], [ %149, %148 ]
  br i1 %96, label %105, label %101

101:
  %102 = sub nsw i64 %100, %80
  %103 = getelementptr inbounds ptr, ptr %97, i64 %102
  %104 = load ptr, ptr %103, align 8
  br label %105

105:
  %106 = phi ptr [ %104, %101 ], [ %69, %99 ]
  %107 = load ptr, ptr %98, align 8
  %108 = getelementptr inbounds %struct.Slot, ptr %107, i64 %100
  %109 = getelementptr inbounds ptr, ptr %23, i64 %100
  %110 = call fastcc i64 @row_step(ptr noundef %106, ptr noundef %108, ptr noundef nonnull %109, ptr noundef nonnull %6, i32 noundef 1280) #10
  %111 = getelementptr inbounds i64, ptr %26, i64 %100
  store i64 %110, ptr %111, align 8
  switch i64 %110, label %112 [
    i64 -1, label %151
    i64 0, label %151
  ]

112:
  %113 = load ptr, ptr %109, align 8
  %114 = load i64, ptr %6, align 8
  %115 = load ptr, ptr %98, align 8
  %116 = getelementptr inbounds %struct.Slot, ptr %115, i64 %100, i32 1
  %117 = load i64, ptr %116, align 8
  %118 = add nsw i64 %114, -1
  %119 = mul nsw i64 %118, %110
  %120 = ptrtoint ptr %113 to i64
  %121 = tail call i64 @llvm.smin.i64(i64 %119, i64 0)
  %122 = add i64 %121, %120
  %123 = tail call i64 @llvm.smax.i64(i64 %119, i64 0)
  %124 = add i64 %117, %120
  %125 = add i64 %124, %123
  %126 = icmp sgt i64 %100, 0
  br i1 %126, label %130, label %148

127:
  %128 = add nuw nsw i64 %131, 1
  %129 = icmp eq i64 %128, %100
  br i1 %129, label %148, label %130

130:
  %131 = phi i64 [ %128, %127 ], [ 0, %112 ]
  %132 = getelementptr inbounds ptr, ptr %23, i64 %131
  %133 = load ptr, ptr %132, align 8
  %134 = getelementptr inbounds i64, ptr %26, i64 %131
  %135 = load i64, ptr %134, align 8
  %136 = getelementptr inbounds %struct.Slot, ptr %115, i64 %131, i32 1
  %137 = load i64, ptr %136, align 8
  %138 = mul nsw i64 %135, %118
  %139 = ptrtoint ptr %133 to i64
  %140 = tail call i64 @llvm.smin.i64(i64 %138, i64 0)
  %141 = add i64 %140, %139
  %142 = tail call i64 @llvm.smax.i64(i64 %138, i64 0)
  %143 = add i64 %137, %139
  %144 = add i64 %143, %142
  %145 = icmp ugt i64 %125, %141
  %146 = icmp ugt i64 %144, %122
  %147 = select i1 %145, i1 %146, i1 false
  br i1 %147, label %151, label %127

148:
  %149 = add nsw i64 %100, 1
  %150 = icmp slt i64 %149, %95
  br i1 %150, label %99, label %153

151:
  %152 = tail call fastcc ptr @call_from_python(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %237

153:
  %154 = getelementptr inbounds i8, ptr %8, i64 8
  %155 = load ptr, ptr %154, align 8
  call void %155(ptr noundef nonnull %23, ptr noundef nonnull %6, ptr noundef nonnull %26, ptr noundef null) #8
  %156 = load i64, ptr %13, align 8
  %157 = icmp slt i64 %156, 1
  br i1 %157, label %158, label %160

158:
  %159 = call fastcc ptr @call_from_python(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %237

160:
  %161 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %161(ptr noundef %69) #8
  br label %237

162:
  %163 = alloca ptr, i64 %12, align 16
  %164 = icmp sgt i64 %12, 0
  br i1 %164, label %165, label %217

165:
  %166 = getelementptr inbounds i8, ptr %8, i64 56
  %167 = getelementptr ptr, ptr %23, i64 %2
  br label %168

168:
  %169 = phi i64 [ 0, %165 ], [ %215, %211 ]
  %170 = load ptr, ptr %166, align 8
  %171 = getelementptr inbounds %struct.Slot, ptr %170, i64 %2
  %172 = getelementptr inbounds %struct.Slot, ptr %171, i64 %169
  %173 = load i64, ptr %6, align 8
  store i64 %173, ptr %5, align 16
  %174 = load i64, ptr %172, align 8
  %175 = icmp sgt i64 %174, 0
  br i1 %175, label %176, label %186

176:
  %177 = getelementptr inbounds i8, ptr %172, i64 16
  %178 = load ptr, ptr %177, align 8
  br label %179

179:
  %180 = phi i64 [ 0, %176 ], [ %183, %179 ]
  %181 = getelementptr inbounds i64, ptr %178, i64 %180
  %182 = load i64, ptr %181, align 8
  %183 = add nuw nsw i64 %180, 1
  %184 = getelementptr inbounds [33 x i64], ptr %5, i64 0, i64 %183
  store i64 %182, ptr %184, align 8
  %185 = icmp eq i64 %183, %174
  br i1 %185, label %186, label %179

186:
  %187 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  %188 = getelementptr inbounds i8, ptr %172, i64 32
  %189 = load ptr, ptr %188, align 8
  call void %187(ptr noundef %189) #8
  %190 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %191 = load ptr, ptr @python, align 8
  %192 = load ptr, ptr %188, align 8
  %193 = load i64, ptr %172, align 8
  %194 = trunc i64 %193 to i32
  %195 = add nsw i32 %194, 1
  %196 = call ptr %190(ptr noundef %191, ptr noundef %192, i32 noundef %195, ptr noundef nonnull %5, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %197 = getelementptr inbounds ptr, ptr %163, i64 %169
  store ptr %196, ptr %197, align 8
  %198 = icmp eq ptr %196, null
  br i1 %198, label %199, label %211

199:
  %200 = icmp eq i64 %169, 0
  br i1 %200, label %237, label %201

201:
  %202 = phi i64 [ %209, %208 ], [ 0, %199 ]
  %203 = getelementptr inbounds ptr, ptr %163, i64 %202
  %204 = load ptr, ptr %203, align 8
  %205 = icmp eq ptr %204, null
  br i1 %205, label %208, label %206

206:
  %207 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %207(ptr noundef nonnull %204) #8
  br label %208

208:
  %209 = add nuw nsw i64 %202, 1
  %210 = icmp eq i64 %209, %169
  br i1 %210, label %237, label %201

211:
  %212 = getelementptr inbounds i8, ptr %196, i64 16
  %213 = load ptr, ptr %212, align 8
  %214 = getelementptr ptr, ptr %167, i64 %169
  store ptr %213, ptr %214, align 8
  %215 = add nuw nsw i64 %169, 1
  %216 = icmp eq i64 %215, %12
  br i1 %216, label %217, label %168

217:
  %218 = getelementptr inbounds i8, ptr %8, i64 8
  %219 = load ptr, ptr %218, align 8
  call void %219(ptr noundef nonnull %23, ptr noundef nonnull %6, ptr noundef nonnull %26, ptr noundef null) #8
  %220 = load i64, ptr %13, align 8
  %221 = icmp slt i64 %220, 1
  br i1 %221, label %222, label %235

222:
  br i1 %164, label %223, label %233

223:
  %224 = phi i64 [ %231, %230 ], [ 0, %222 ]
  %225 = getelementptr inbounds ptr, ptr %163, i64 %224
  %226 = load ptr, ptr %225, align 8
  %227 = icmp eq ptr %226, null
  br i1 %227, label %230, label %228

228:
  %229 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %229(ptr noundef nonnull %226) #8
  br label %230

230:
  %231 = add nuw nsw i64 %224, 1
  %232 = icmp eq i64 %231, %12
  br i1 %232, label %233, label %223

233:
  %234 = call fastcc ptr @call_from_python(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef null) #10
  br label %237

235:
  %236 = call fastcc ptr @collect(ptr noundef nonnull %163, i64 noundef %12) #10
  br label %237

237:
  %238 = phi ptr [ %64, %63 ], [ %234, %233 ], [ %236, %235 ], [ %159, %158 ], [ %69, %160 ], [ %152, %151 ], [ %56, %55 ], [ null, %199 ], [ null, %208 ]
  call void @llvm.stackrestore.p0(ptr %22)
  br label %239

239:
  %240 = phi ptr [ %19, %18 ], [ %238, %237 ]
  ret ptr %240
}

define internal fastcc ptr @call_row_of_many(ptr noundef %0, ptr nocapture noundef readonly %1, i64 noundef %2, ptr noundef %3) unnamed_addr #2 {
  %5 = alloca double, align 8
  %6 = getelementptr inbounds i8, ptr %0, i64 24
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds i8, ptr %7, i64 32
  %9 = load i64, ptr %8, align 8
  %10 = add nsw i64 %9, %2
  %11 = alloca ptr, i64 %10, align 16
  %12 = icmp sgt i64 %2, 0
  br i1 %12, label %13, label %86

13:
  %14 = getelementptr inbounds i8, ptr %7, i64 56
  %15 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %16 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %17 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %18 = load ptr, ptr @python, align 8
  %19 = load ptr, ptr %14, align 8
  br label %20

20:
  %21 = phi i64 [ 0, %13 ], [ %82, %79 ]
  %22 = getelementptr inbounds %struct.Slot, ptr %19, i64 %21
  %23 = load i64, ptr %22, align 8
  %24 = icmp eq i64 %23, 0
  %25 = getelementptr inbounds ptr, ptr %1, i64 %21
  %26 = load ptr, ptr %25, align 8
  %27 = getelementptr inbounds i8, ptr %26, i64 8
  %28 = load ptr, ptr %27, align 8
  br i1 %24, label %29, label %39

29:
  %30 = icmp eq ptr %28, %15
  %31 = icmp eq ptr %28, %16
  %32 = select i1 %30, i1 true, i1 %31
  br i1 %32, label %33, label %39

33:
  %34 = getelementptr inbounds i8, ptr %22, i64 32
  %35 = load ptr, ptr %34, align 8
  %36 = icmp eq ptr %35, %17
  br i1 %36, label %37, label %39

37:
  %38 = getelementptr inbounds i8, ptr %26, i64 16
  br label %79

39:
  %40 = icmp eq ptr %28, %18
  br i1 %40, label %41, label %74, !prof !6

41:
  %42 = getelementptr inbounds i8, ptr %26, i64 56
  %43 = load ptr, ptr %42, align 8
  %44 = getelementptr inbounds i8, ptr %22, i64 32
  %45 = load ptr, ptr %44, align 8
  %46 = icmp ne ptr %43, %45
  %47 = getelementptr inbounds i8, ptr %26, i64 24
  %48 = load i32, ptr %47, align 8
  %49 = sext i32 %48 to i64
  %50 = icmp ne i64 %23, %49
  %51 = or i1 %46, %50
  %52 = getelementptr inbounds i8, ptr %26, i64 64
  %53 = load i32, ptr %52, align 8
  %54 = and i32 %53, 257
  %55 = icmp ne i32 %54, 257
  %56 = or i1 %51, %55
  br i1 %56, label %74, label %57, !prof !5

57:
  %58 = icmp sgt i64 %23, 0
  br i1 %58, label %59, label %76

59:
  %60 = getelementptr inbounds i8, ptr %26, i64 32
  %61 = load ptr, ptr %60, align 8
  %62 = getelementptr inbounds i8, ptr %22, i64 16
  %63 = load ptr, ptr %62, align 8
  br label %67

64:
  %65 = add nuw nsw i64 %68, 1
  %66 = icmp eq i64 %65, %23
  br i1 %66, label %76, label %67

67:
  %68 = phi i64 [ 0, %59 ], [ %65, %64 ]
  %69 = getelementptr inbounds i64, ptr %61, i64 %68
  %70 = load i64, ptr %69, align 8
  %71 = getelementptr inbounds i64, ptr %63, i64 %68
  %72 = load i64, ptr %71, align 8
  %73 = icmp eq i64 %70, %72
  br i1 %73, label %64, label %84, !prof !6

74:
  %75 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %2, ptr noundef %3) #10
  br label %315

76:
  %77 = getelementptr inbounds i8, ptr %26, i64 16
  %78 = load ptr, ptr %77, align 8
  br label %79

79:
  %80 = phi ptr [ %78, %76 ], [ %38, %37 ]
  %81 = getelementptr inbounds ptr, ptr %11, i64 %21
  store ptr %80, ptr %81, align 8
  %82 = add nuw nsw i64 %21, 1
  %83 = icmp eq i64 %82, %2
  br i1 %83, label %86, label %20

84:
  %85 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3) #10
  br label %315

86:
  %87 = icmp eq ptr %3, null
  br i1 %87, label %88, label %157

88:
  %89 = icmp eq i64 %9, 1
  br i1 %89, label %90, label %155

90:
  %91 = getelementptr inbounds i8, ptr %7, i64 56
  %92 = load ptr, ptr %91, align 8
  %93 = getelementptr inbounds %struct.Slot, ptr %92, i64 %2
  %94 = getelementptr inbounds ptr, ptr %11, i64 %2
  %95 = load i64, ptr %93, align 8
  %96 = icmp eq i64 %95, 0
  br i1 %96, label %123, label %97

97:
  %98 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  %99 = getelementptr inbounds i8, ptr %93, i64 32
  %100 = load ptr, ptr %99, align 8
  tail call void %98(ptr noundef %100) #8
  %101 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %102 = load ptr, ptr @python, align 8
  %103 = load ptr, ptr %99, align 8
  %104 = load i64, ptr %93, align 8
  %105 = trunc i64 %104 to i32
  %106 = getelementptr inbounds i8, ptr %93, i64 16
  %107 = load ptr, ptr %106, align 8
  %108 = tail call ptr %101(ptr noundef %102, ptr noundef %103, i32 noundef %105, ptr noundef %107, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %109 = icmp eq ptr %108, null
  br i1 %109, label %315, label %110, !prof !5

110:
  %111 = getelementptr inbounds i8, ptr %108, i64 16
  %112 = load ptr, ptr %111, align 8
  store ptr %112, ptr %94, align 8
  %113 = load ptr, ptr %7, align 8
  %114 = getelementptr inbounds i8, ptr %7, i64 48
  %115 = load ptr, ptr %114, align 8
  call void %113(ptr noundef nonnull %11, ptr noundef %115) #8
  %116 = getelementptr inbounds i8, ptr %7, i64 72
  %117 = load i64, ptr %116, align 8
  %118 = icmp eq i64 %117, 0
  br i1 %118, label %315, label %119, !prof !6

119:
  %120 = call zeroext i1 @raise_pending() #10
  br i1 %120, label %121, label %315

121:
  %122 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %122(ptr noundef nonnull %108) #8
  br label %315

123:
  store ptr %5, ptr %94, align 8
  %124 = load ptr, ptr %7, align 8
  %125 = getelementptr inbounds i8, ptr %7, i64 48
  %126 = load ptr, ptr %125, align 8
  call void %124(ptr noundef nonnull %11, ptr noundef %126) #8
  %127 = getelementptr inbounds i8, ptr %7, i64 72
  %128 = load i64, ptr %127, align 8
  %129 = icmp eq i64 %128, 0
  br i1 %129, label %148, label %130

130:
  %131 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 216), align 8
  %132 = getelementptr inbounds i8, ptr %131, i64 8
  %133 = load ptr, ptr %132, align 8
  %134 = icmp eq ptr %133, null
  br i1 %134, label %148, label %135

135:
  %136 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %137 = call i64 %136() #8
  %138 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 208), align 8
  %139 = and i64 %138, %137
  %140 = load i64, ptr %131, align 8
  %141 = icmp eq i64 %139, %140
  br i1 %141, label %142, label %148

142:
  store ptr null, ptr %132, align 8
  %143 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %144 = getelementptr inbounds i8, ptr %131, i64 16
  %145 = load ptr, ptr %144, align 8
  %146 = getelementptr inbounds i8, ptr %131, i64 24
  %147 = load ptr, ptr %146, align 8
  call void %143(ptr noundef nonnull %133, ptr noundef %145, ptr noundef %147) #8
  br label %153

148:
  %149 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %150 = getelementptr inbounds i8, ptr %93, i64 32
  %151 = load ptr, ptr %150, align 8
  %152 = call ptr %149(ptr noundef nonnull %5, ptr noundef %151, ptr noundef null) #8
  br label %153

153:
  %154 = phi ptr [ %152, %148 ], [ null, %142 ]
  br label %315

155:
  %156 = call fastcc ptr @make_results(ptr noundef %7, ptr noundef nonnull %11) #10
  br label %315

157:
  %158 = getelementptr inbounds ptr, ptr %1, i64 %2
  %159 = load ptr, ptr %158, align 8
  %160 = getelementptr inbounds i8, ptr %7, i64 56
  %161 = load ptr, ptr %160, align 8
  %162 = getelementptr inbounds %struct.Slot, ptr %161, i64 %2
  %163 = getelementptr inbounds i8, ptr %3, i64 16
  %164 = load i64, ptr %163, align 8
  %165 = icmp eq i64 %164, 1
  br i1 %165, label %166, label %172, !prof !8

166:
  %167 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 200), align 8
  %168 = getelementptr inbounds i8, ptr %3, i64 %167
  %169 = load ptr, ptr %168, align 8
  %170 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 40), align 8
  %171 = icmp eq ptr %169, %170
  br i1 %171, label %174, label %172, !prof !9

172:
  %173 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %315

174:
  %175 = icmp eq i64 %9, 1
  %176 = getelementptr inbounds i8, ptr %159, i64 8
  %177 = load ptr, ptr %176, align 8
  br i1 %175, label %178, label %221

178:
  %179 = load ptr, ptr @python, align 8
  %180 = icmp eq ptr %177, %179
  br i1 %180, label %181, label %215, !prof !6

181:
  %182 = getelementptr inbounds i8, ptr %159, i64 56
  %183 = load ptr, ptr %182, align 8
  %184 = getelementptr inbounds i8, ptr %162, i64 32
  %185 = load ptr, ptr %184, align 8
  %186 = icmp ne ptr %183, %185
  %187 = getelementptr inbounds i8, ptr %159, i64 24
  %188 = load i32, ptr %187, align 8
  %189 = sext i32 %188 to i64
  %190 = load i64, ptr %162, align 8
  %191 = icmp ne i64 %190, %189
  %192 = or i1 %186, %191
  %193 = getelementptr inbounds i8, ptr %159, i64 64
  %194 = load i32, ptr %193, align 8
  %195 = and i32 %194, 1281
  %196 = icmp ne i32 %195, 1281
  %197 = or i1 %192, %196
  br i1 %197, label %215, label %198, !prof !5

198:
  %199 = icmp sgt i32 %188, 0
  br i1 %199, label %200, label %217

200:
  %201 = getelementptr inbounds i8, ptr %159, i64 32
  %202 = load ptr, ptr %201, align 8
  %203 = getelementptr inbounds i8, ptr %162, i64 16
  %204 = load ptr, ptr %203, align 8
  br label %208

205:
  %206 = add nuw nsw i64 %209, 1
  %207 = icmp eq i64 %206, %189
  br i1 %207, label %217, label %208

208:
  %209 = phi i64 [ 0, %200 ], [ %206, %205 ]
  %210 = getelementptr inbounds i64, ptr %202, i64 %209
  %211 = load i64, ptr %210, align 8
  %212 = getelementptr inbounds i64, ptr %204, i64 %209
  %213 = load i64, ptr %212, align 8
  %214 = icmp eq i64 %211, %213
  br i1 %214, label %205, label %215, !prof !6

215:
  %216 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %315

217:
  %218 = getelementptr inbounds i8, ptr %159, i64 16
  %219 = load ptr, ptr %218, align 8
  %220 = getelementptr inbounds ptr, ptr %11, i64 %2
  store ptr %219, ptr %220, align 8
  br label %288

221:
  %222 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 16), align 8
  %223 = icmp eq ptr %177, %222
  br i1 %223, label %224, label %234, !prof !8

224:
  %225 = getelementptr inbounds i8, ptr %159, i64 16
  %226 = load i64, ptr %225, align 8
  %227 = icmp eq i64 %226, %9
  br i1 %227, label %228, label %234, !prof !9

228:
  %229 = getelementptr ptr, ptr %11, i64 %2
  %230 = icmp sgt i64 %9, 0
  br i1 %230, label %231, label %288

231:
  %232 = getelementptr inbounds i8, ptr %159, i64 %167
  %233 = load ptr, ptr @python, align 8
  br label %236

234:
  %235 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %315

236:
  %237 = phi i64 [ 0, %231 ], [ %284, %280 ]
  %238 = getelementptr inbounds ptr, ptr %232, i64 %237
  %239 = load ptr, ptr %238, align 8
  %240 = getelementptr inbounds %struct.Slot, ptr %162, i64 %237
  %241 = getelementptr inbounds i8, ptr %239, i64 8
  %242 = load ptr, ptr %241, align 8
  %243 = icmp eq ptr %242, %233
  br i1 %243, label %244, label %278, !prof !6

244:
  %245 = getelementptr inbounds i8, ptr %239, i64 56
  %246 = load ptr, ptr %245, align 8
  %247 = getelementptr inbounds i8, ptr %240, i64 32
  %248 = load ptr, ptr %247, align 8
  %249 = icmp ne ptr %246, %248
  %250 = getelementptr inbounds i8, ptr %239, i64 24
  %251 = load i32, ptr %250, align 8
  %252 = sext i32 %251 to i64
  %253 = load i64, ptr %240, align 8
  %254 = icmp ne i64 %253, %252
  %255 = or i1 %249, %254
  %256 = getelementptr inbounds i8, ptr %239, i64 64
  %257 = load i32, ptr %256, align 8
  %258 = and i32 %257, 1281
  %259 = icmp ne i32 %258, 1281
  %260 = or i1 %255, %259
  br i1 %260, label %278, label %261, !prof !5

261:
  %262 = icmp sgt i32 %251, 0
  br i1 %262, label %263, label %280

263:
  %264 = getelementptr inbounds i8, ptr %239, i64 32
  %265 = load ptr, ptr %264, align 8
  %266 = getelementptr inbounds i8, ptr %240, i64 16
  %267 = load ptr, ptr %266, align 8
  br label %271

268:
  %269 = add nuw nsw i64 %272, 1
  %270 = icmp eq i64 %269, %252
  br i1 %270, label %280, label %271

271:
  %272 = phi i64 [ 0, %263 ], [ %269, %268 ]
  %273 = getelementptr inbounds i64, ptr %265, i64 %272
  %274 = load i64, ptr %273, align 8
  %275 = getelementptr inbounds i64, ptr %267, i64 %272
  %276 = load i64, ptr %275, align 8
  %277 = icmp eq i64 %274, %276
  br i1 %277, label %268, label %286, !prof !6

278:
  %279 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %315

280:
  %281 = getelementptr inbounds i8, ptr %239, i64 16
  %282 = load ptr, ptr %281, align 8
  %283 = getelementptr ptr, ptr %229, i64 %237
  store ptr %282, ptr %283, align 8
  %284 = add nuw nsw i64 %237, 1
  %285 = icmp eq i64 %284, %9
  br i1 %285, label %288, label %236

286:
  %287 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %315

288:
  %289 = load ptr, ptr %7, align 8
  %290 = getelementptr inbounds i8, ptr %7, i64 48
  %291 = load ptr, ptr %290, align 8
  call void %289(ptr noundef nonnull %11, ptr noundef %291) #8
  %292 = getelementptr inbounds i8, ptr %7, i64 72
  %293 = load i64, ptr %292, align 8
  %294 = icmp eq i64 %293, 0
  br i1 %294, label %313, label %295

295:
  %296 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 216), align 8
  %297 = getelementptr inbounds i8, ptr %296, i64 8
  %298 = load ptr, ptr %297, align 8
  %299 = icmp eq ptr %298, null
  br i1 %299, label %313, label %300

300:
  %301 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %302 = call i64 %301() #8
  %303 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 208), align 8
  %304 = and i64 %303, %302
  %305 = load i64, ptr %296, align 8
  %306 = icmp eq i64 %304, %305
  br i1 %306, label %307, label %313, !prof !10

307:
  store ptr null, ptr %297, align 8
  %308 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %309 = getelementptr inbounds i8, ptr %296, i64 16
  %310 = load ptr, ptr %309, align 8
  %311 = getelementptr inbounds i8, ptr %296, i64 24
  %312 = load ptr, ptr %311, align 8
  call void %308(ptr noundef nonnull %298, ptr noundef %310, ptr noundef %312) #8
  br label %315

313:
  %314 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %314(ptr noundef %159) #8
  br label %315

315:
  %316 = phi ptr [ %85, %84 ], [ %156, %155 ], [ %173, %172 ], [ %216, %215 ], [ %159, %313 ], [ %235, %234 ], [ %287, %286 ], [ null, %307 ], [ %75, %74 ], [ %154, %153 ], [ null, %121 ], [ null, %97 ], [ %108, %119 ], [ %108, %110 ], [ %279, %278 ]
  ret ptr %316
}

define ptr @call_public(ptr nocapture noundef readonly %0, ptr noundef %1, i64 noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = getelementptr inbounds i8, ptr %0, i64 24
  %6 = load ptr, ptr %5, align 8
  %7 = and i64 %2, 9223372036854775807
  %8 = getelementptr inbounds i8, ptr %6, i64 32
  %9 = load i64, ptr %8, align 8
  %10 = icmp sgt i64 %7, %9
  br i1 %10, label %11, label %109, !prof !6

11:
  %12 = load ptr, ptr %1, align 8
  %13 = getelementptr inbounds i8, ptr %12, i64 8
  %14 = load ptr, ptr %13, align 8
  %15 = load ptr, ptr %6, align 8
  %16 = icmp eq ptr %14, %15
  br i1 %16, label %17, label %109, !prof !6

17:
  %18 = getelementptr inbounds i8, ptr %6, i64 72
  %19 = load i64, ptr %18, align 8
  %20 = icmp ne i64 %19, 0
  %21 = icmp eq ptr %3, null
  %22 = and i1 %21, %20
  %23 = add nsw i64 %9, 1
  %24 = icmp eq i64 %7, %23
  %25 = select i1 %22, i1 %24, i1 false
  br i1 %25, label %26, label %44, !prof !21

26:
  %27 = getelementptr inbounds i8, ptr %6, i64 24
  %28 = load ptr, ptr %27, align 8
  %29 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 184), align 8
  %30 = getelementptr inbounds i8, ptr %6, i64 16
  %31 = load ptr, ptr %30, align 8
  %32 = tail call ptr %29(ptr noundef nonnull %12, ptr noundef %31) #8
  %33 = icmp eq ptr %32, null
  br i1 %33, label %34, label %36

34:
  %35 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 176), align 8
  tail call void %35() #8
  br label %109

36:
  %37 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 192), align 8
  %38 = tail call ptr %37(ptr noundef nonnull %32, ptr noundef %28) #8
  %39 = icmp eq ptr %38, null
  br i1 %39, label %42, label %40, !prof !22

40:
  %41 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  tail call void %41(ptr noundef nonnull %38) #8
  br label %66

42:
  %43 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 176), align 8
  tail call void %43() #8
  br label %66

44:
  %45 = tail call fastcc ptr @kernel_key(ptr noundef nonnull %6, ptr noundef nonnull %1, i64 noundef %7, ptr noundef %3) #10
  %46 = icmp eq ptr %45, null
  br i1 %46, label %109, label %47

47:
  %48 = load ptr, ptr %1, align 8
  %49 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 184), align 8
  %50 = getelementptr inbounds i8, ptr %6, i64 16
  %51 = load ptr, ptr %50, align 8
  %52 = tail call ptr %49(ptr noundef %48, ptr noundef %51) #8
  %53 = icmp eq ptr %52, null
  br i1 %53, label %54, label %56

54:
  %55 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 176), align 8
  tail call void %55() #8
  br label %66

56:
  %57 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 192), align 8
  %58 = tail call ptr %57(ptr noundef nonnull %52, ptr noundef nonnull %45) #8
  %59 = icmp eq ptr %58, null
  br i1 %59, label %62, label %60, !prof !22

60:
  %61 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  tail call void %61(ptr noundef nonnull %58) #8
  br label %64

62:
  %63 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 176), align 8
  tail call void %63() #8
  br label %64

64:
  %65 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  tail call void %65(ptr noundef nonnull %52) #8
  br label %66

66:
  %67 = phi ptr [ %32, %42 ], [ %32, %40 ], [ %45, %54 ], [ %45, %64 ]
  %68 = phi ptr [ %38, %42 ], [ %38, %40 ], [ null, %54 ], [ %58, %64 ]
  %69 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  tail call void %69(ptr noundef nonnull %67) #8
  %70 = icmp eq ptr %68, null
  br i1 %70, label %109, label %71, !prof !22

71:
  %72 = getelementptr inbounds i8, ptr %68, i64 8
  %73 = load ptr, ptr %72, align 8
  %74 = getelementptr inbounds i8, ptr %6, i64 8
  %75 = load ptr, ptr %74, align 8
  %76 = icmp eq ptr %73, %75
  br i1 %76, label %77, label %114, !prof !6

77:
  %78 = getelementptr inbounds i8, ptr %68, i64 24
  %79 = load ptr, ptr %78, align 8
  %80 = getelementptr inbounds i8, ptr %1, i64 8
  %81 = load i64, ptr %8, align 8
  %82 = getelementptr inbounds i8, ptr %79, i64 24
  %83 = load i64, ptr %82, align 8
  %84 = icmp eq i64 %83, %81
  br i1 %84, label %85, label %114, !prof !6

85:
  %86 = icmp sgt i64 %81, 0
  br i1 %86, label %87, label %107

87:
  %88 = load ptr, ptr @python, align 8
  %89 = getelementptr inbounds i8, ptr %79, i64 56
  br label %93

90:
  %91 = add nuw nsw i64 %94, 1
  %92 = icmp eq i64 %91, %81
  br i1 %92, label %107, label %93

93:
  %94 = phi i64 [ 0, %87 ], [ %91, %90 ]
  %95 = getelementptr inbounds ptr, ptr %80, i64 %94
  %96 = load ptr, ptr %95, align 8
  %97 = getelementptr inbounds i8, ptr %96, i64 8
  %98 = load ptr, ptr %97, align 8
  %99 = icmp eq ptr %98, %88
  br i1 %99, label %100, label %119, !prof !6

100:
  %101 = getelementptr inbounds i8, ptr %96, i64 56
  %102 = load ptr, ptr %101, align 8
  %103 = load ptr, ptr %89, align 8
  %104 = getelementptr inbounds %struct.Slot, ptr %103, i64 %94, i32 4
  %105 = load ptr, ptr %104, align 8
  %106 = icmp eq ptr %102, %105
  br i1 %106, label %90, label %119, !prof !6

107:
  %108 = tail call ptr @call_kernel(ptr noundef nonnull %68, ptr noundef nonnull %80, i64 noundef %81, ptr noundef null) #10
  br label %124

109:
  %110 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 64), align 8
  %111 = getelementptr inbounds i8, ptr %6, i64 80
  %112 = load ptr, ptr %111, align 8
  %113 = tail call ptr %110(ptr noundef %112, ptr noundef %1, i64 noundef %7, ptr noundef %3) #8
  br label %127

114:
  %115 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 64), align 8
  %116 = getelementptr inbounds i8, ptr %6, i64 80
  %117 = load ptr, ptr %116, align 8
  %118 = tail call ptr %115(ptr noundef %117, ptr noundef nonnull %1, i64 noundef %7, ptr noundef %3) #8
  br label %124

119:
  %120 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 64), align 8
  %121 = getelementptr inbounds i8, ptr %6, i64 80
  %122 = load ptr, ptr %121, align 8
  %123 = tail call ptr %120(ptr noundef %122, ptr noundef nonnull %1, i64 noundef %7, ptr noundef %3) #8
  br label %124

124:
  %125 = phi ptr [ %108, %107 ], [ %123, %119 ], [ %118, %114 ]
  %126 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  tail call void %126(ptr noundef nonnull %68) #8
  br label %127

127:
  %128 = phi ptr [ %125, %124 ], [ %113, %109 ]
  ret ptr %128
}

define internal fastcc ptr @kernel_key(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, ptr noundef readonly %3) unnamed_addr #2 {
  %5 = alloca [16 x ptr], align 16
  %6 = getelementptr inbounds i8, ptr %0, i64 32
  %7 = load i64, ptr %6, align 8
  %8 = xor i64 %7, -1
  %9 = add i64 %8, %2
  %10 = icmp eq ptr %3, null
  br i1 %10, label %14, label %11

11:
  %12 = getelementptr inbounds i8, ptr %3, i64 16
  %13 = load i64, ptr %12, align 8
  br label %14

14:
  %15 = phi i64 [ %13, %11 ], [ 0, %4 ]
  %16 = getelementptr inbounds i8, ptr %0, i64 72
  %17 = load i64, ptr %16, align 8
  %18 = icmp ne i64 %17, 0
  %19 = getelementptr inbounds i8, ptr %0, i64 48
  %20 = load i64, ptr %19, align 8
  %21 = icmp sgt i64 %9, %20
  br i1 %21, label %126, label %22

22:
  %23 = getelementptr inbounds i8, ptr %0, i64 40
  %24 = load i64, ptr %23, align 8
  %25 = icmp sgt i64 %24, 16
  br i1 %25, label %126, label %26

26:
  %27 = icmp sgt i64 %24, 0
  br i1 %27, label %28, label %32

28:
  %29 = getelementptr inbounds i8, ptr %0, i64 64
  %30 = getelementptr ptr, ptr %1, i64 %7
  %31 = getelementptr i8, ptr %30, i64 8
  br label %40

32:
  %33 = getelementptr ptr, ptr %1, i64 %2
  %34 = icmp sgt i64 %15, 0
  br i1 %34, label %35, label %75

35:
  %36 = getelementptr inbounds i8, ptr %0, i64 56
  %37 = icmp slt i64 %9, %24
  %38 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 200), align 8
  %39 = getelementptr i8, ptr %3, i64 %38
  br label %52

40:
  %41 = phi i64 [ 0, %28 ], [ %50, %45 ]
  %42 = icmp slt i64 %41, %9
  br i1 %42, label %45, label %43

43:
  %44 = load ptr, ptr %29, align 8
  br label %45

45:
  %46 = phi ptr [ %44, %43 ], [ %31, %40 ]
  %47 = getelementptr ptr, ptr %46, i64 %41
  %48 = load ptr, ptr %47, align 8
  %49 = getelementptr inbounds [16 x ptr], ptr %5, i64 0, i64 %41
  store ptr %48, ptr %49, align 8
  %50 = add nuw nsw i64 %41, 1
  %51 = icmp eq i64 %50, %24
  br i1 %51, label %32, label %40

52:
  %53 = phi i64 [ 0, %35 ], [ %73, %69 ]
  br i1 %37, label %54, label %66

54:
  %55 = load ptr, ptr %36, align 8
  %56 = getelementptr ptr, ptr %39, i64 %53
  %57 = load ptr, ptr %56, align 8
  br label %58

58:
  %59 = phi i64 [ %9, %54 ], [ %64, %63 ]
  %60 = getelementptr inbounds ptr, ptr %55, i64 %59
  %61 = load ptr, ptr %60, align 8
  %62 = icmp eq ptr %61, %57
  br i1 %62, label %66, label %63

63:
  %64 = add i64 %59, 1
  %65 = icmp eq i64 %64, %24
  br i1 %65, label %126, label %58

66:
  %67 = phi i64 [ %9, %52 ], [ %59, %58 ]
  %68 = icmp eq i64 %67, %24
  br i1 %68, label %126, label %69

69:
  %70 = getelementptr ptr, ptr %33, i64 %53
  %71 = load ptr, ptr %70, align 8
  %72 = getelementptr inbounds [16 x ptr], ptr %5, i64 0, i64 %67
  store ptr %71, ptr %72, align 8
  %73 = add nuw nsw i64 %53, 1
  %74 = icmp eq i64 %73, %15
  br i1 %74, label %75, label %52

75:
  br i1 %27, label %76, label %94

76:
  %77 = getelementptr inbounds i8, ptr %0, i64 64
  br label %78

78:
  %79 = phi i1 [ %18, %76 ], [ %91, %90 ]
  %80 = phi i64 [ 0, %76 ], [ %92, %90 ]
  %81 = getelementptr inbounds [16 x ptr], ptr %5, i64 0, i64 %80
  %82 = load ptr, ptr %81, align 8
  %83 = icmp eq ptr %82, null
  br i1 %83, label %126, label %84

84:
  br i1 %79, label %85, label %90

85:
  %86 = load ptr, ptr %77, align 8
  %87 = getelementptr inbounds ptr, ptr %86, i64 %80
  %88 = load ptr, ptr %87, align 8
  %89 = icmp eq ptr %82, %88
  br label %90

90:
  %91 = phi i1 [ false, %84 ], [ %89, %85 ]
  %92 = add nuw nsw i64 %80, 1
  %93 = icmp eq i64 %92, %24
  br i1 %93, label %94, label %78

94:
  %95 = phi i1 [ %18, %75 ], [ %91, %90 ]
  br i1 %95, label %96, label %101

96:
  %97 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  %98 = getelementptr inbounds i8, ptr %0, i64 24
  %99 = load ptr, ptr %98, align 8
  tail call void %97(ptr noundef %99) #8
  %100 = load ptr, ptr %98, align 8
  br label %126

101:
  %102 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 72), align 8
  %103 = add nsw i64 %24, 1
  %104 = tail call ptr %102(i64 noundef %103) #8
  %105 = icmp eq ptr %104, null
  br i1 %105, label %111, label %106

106:
  %107 = load i64, ptr %23, align 8
  %108 = icmp slt i64 %107, 0
  br i1 %108, label %126, label %109

109:
  %110 = getelementptr inbounds i8, ptr %0, i64 24
  br label %113

111:
  %112 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 176), align 8
  tail call void %112() #8
  br label %126

113:
  %114 = phi i64 [ 0, %109 ], [ %123, %113 ]
  %115 = icmp eq i64 %114, 0
  %116 = add nsw i64 %114, -1
  %117 = getelementptr inbounds [16 x ptr], ptr %5, i64 0, i64 %116
  %118 = select i1 %115, ptr %110, ptr %117
  %119 = load ptr, ptr %118, align 8
  %120 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  tail call void %120(ptr noundef %119) #8
  %121 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 80), align 8
  %122 = tail call i32 %121(ptr noundef nonnull %104, i64 noundef %114, ptr noundef %119) #8
  %123 = add nuw nsw i64 %114, 1
  %124 = load i64, ptr %23, align 8
  %125 = icmp slt i64 %114, %124
  br i1 %125, label %113, label %126

126:
  %127 = phi ptr [ %100, %96 ], [ null, %22 ], [ null, %14 ], [ null, %111 ], [ %104, %106 ], [ %104, %113 ], [ null, %78 ], [ null, %63 ], [ null, %66 ]
  ret ptr %127
}

define void @run_sequence(ptr nocapture noundef readonly %0) local_unnamed_addr #0 {
  %2 = alloca i64, align 8
  %3 = getelementptr inbounds i8, ptr %0, i64 80
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds i8, ptr %0, i64 16
  %6 = load i64, ptr %5, align 8
  %7 = getelementptr inbounds i8, ptr %0, i64 24
  %8 = load i64, ptr %7, align 8
  %9 = add nsw i64 %8, %6
  %10 = alloca ptr, i64 %9, align 16
  %11 = alloca ptr, i64 %6, align 16
  %12 = alloca %struct.SequenceOutput, i64 %8, align 16
  %13 = getelementptr inbounds i8, ptr %0, i64 48
  %14 = load i64, ptr %13, align 8
  %15 = getelementptr inbounds i8, ptr %0, i64 56
  %16 = load i64, ptr %15, align 8
  %17 = icmp slt i64 %14, %16
  br i1 %17, label %18, label %286

18:
  %19 = getelementptr inbounds i8, ptr %0, i64 64
  %20 = getelementptr inbounds i8, ptr %0, i64 104
  %21 = getelementptr inbounds i8, ptr %0, i64 112
  %22 = icmp sgt i64 %6, 0
  %23 = getelementptr inbounds i8, ptr %0, i64 88
  %24 = icmp sgt i64 %8, 0
  %25 = getelementptr i64, ptr %4, i64 %6
  %26 = getelementptr inbounds i8, ptr %0, i64 96
  %27 = getelementptr inbounds i8, ptr %0, i64 32
  %28 = getelementptr ptr, ptr %10, i64 %6
  %29 = getelementptr inbounds i8, ptr %0, i64 8
  %30 = getelementptr inbounds i8, ptr %0, i64 72
  %31 = icmp slt i64 %8, 1
  %32 = getelementptr inbounds i8, ptr %0, i64 40
  %33 = icmp slt i64 %6, 1
  %34 = load i64, ptr %19, align 8
  br label %35

35:
  %36 = phi i64 [ %34, %18 ], [ %282, %281 ]
  %37 = phi i64 [ %16, %18 ], [ %284, %281 ]
  %38 = phi i64 [ %14, %18 ], [ %283, %281 ]
  %39 = sub nsw i64 %37, %38
  %40 = call i64 @llvm.smin.i64(i64 %39, i64 %36)
  store i64 %40, ptr %2, align 8
  %41 = load ptr, ptr %20, align 8
  %42 = icmp eq ptr %41, null
  %43 = getelementptr inbounds i64, ptr %41, i64 %38
  %44 = select i1 %42, ptr null, ptr %43
  %45 = load ptr, ptr %21, align 8
  br i1 %22, label %46, label %48

46:
  %47 = icmp eq ptr %44, null
  br label %54

48:
  %49 = phi i64 [ %40, %35 ], [ %90, %89 ]
  %50 = phi ptr [ %45, %35 ], [ %92, %89 ]
  br i1 %24, label %51, label %95

51:
  %52 = load ptr, ptr %26, align 8
  %53 = icmp eq ptr %44, null
  br label %101

54:
  %55 = phi i64 [ %40, %46 ], [ %90, %89 ]
  %56 = phi i64 [ %40, %46 ], [ %91, %89 ]
  %57 = phi ptr [ %45, %46 ], [ %92, %89 ]
  %58 = phi i64 [ 0, %46 ], [ %93, %89 ]
  %59 = load ptr, ptr %23, align 8
  %60 = getelementptr inbounds %struct.SequenceInput, ptr %59, i64 %58
  %61 = load ptr, ptr %60, align 8
  %62 = getelementptr inbounds i64, ptr %4, i64 %58
  %63 = load i64, ptr %62, align 8
  %64 = mul nsw i64 %63, %38
  %65 = getelementptr inbounds i8, ptr %61, i64 %64
  %66 = getelementptr inbounds ptr, ptr %11, i64 %58
  store ptr %65, ptr %66, align 8
  %67 = icmp eq i64 %63, 0
  %68 = select i1 %47, i1 true, i1 %67
  br i1 %68, label %89, label %69

69:
  %70 = icmp sgt i64 %56, 0
  br i1 %70, label %71, label %84

71:
  %72 = phi i64 [ %79, %71 ], [ 0, %69 ]
  %73 = mul nsw i64 %72, %63
  %74 = getelementptr inbounds i8, ptr %57, i64 %73
  %75 = getelementptr inbounds i64, ptr %44, i64 %72
  %76 = load i64, ptr %75, align 8
  %77 = mul nsw i64 %76, %63
  %78 = getelementptr inbounds i8, ptr %61, i64 %77
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %74, ptr readonly align 1 %78, i64 %63, i1 false)
  %79 = add nuw nsw i64 %72, 1
  %80 = icmp eq i64 %79, %56
  br i1 %80, label %81, label %71

81:
  %82 = load i64, ptr %2, align 8
  %83 = load i64, ptr %62, align 8
  br label %84

84:
  %85 = phi i64 [ %83, %81 ], [ %63, %69 ]
  %86 = phi i64 [ %82, %81 ], [ %55, %69 ]
  store ptr %57, ptr %66, align 8
  %87 = mul nsw i64 %85, %86
  %88 = getelementptr inbounds i8, ptr %57, i64 %87
  br label %89

89:
  %90 = phi i64 [ %86, %84 ], [ %55, %54 ]
  %91 = phi i64 [ %86, %84 ], [ %56, %54 ]
  %92 = phi ptr [ %88, %84 ], [ %57, %54 ]
  %93 = add nuw nsw i64 %58, 1
  %94 = icmp eq i64 %93, %6
  br i1 %94, label %48, label %54

95:
  %96 = load i64, ptr %27, align 8
  %97 = icmp sgt i64 %96, 0
  br i1 %97, label %98, label %227

98:
  %99 = icmp eq ptr %44, null
  %100 = select i1 %99, i1 true, i1 %31
  br label %121

101:
  %102 = phi ptr [ %50, %51 ], [ %118, %117 ]
  %103 = phi i64 [ 0, %51 ], [ %119, %117 ]
  %104 = getelementptr i64, ptr %25, i64 %103
  %105 = load i64, ptr %104, align 8
  %106 = getelementptr inbounds %struct.SequenceOutput, ptr %12, i64 %103
  %107 = getelementptr inbounds %struct.SequenceOutput, ptr %52, i64 %103
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %106, ptr noundef nonnull align 8 dereferenceable(24) %107, i64 24, i1 false)
  %108 = mul nsw i64 %105, %38
  %109 = load ptr, ptr %106, align 8
  %110 = getelementptr inbounds i8, ptr %109, i64 %108
  store ptr %110, ptr %106, align 8
  br i1 %53, label %117, label %111

111:
  %112 = mul nsw i64 %105, %49
  store ptr %102, ptr %106, align 8
  %113 = getelementptr inbounds i8, ptr %106, i64 8
  store i64 0, ptr %113, align 8
  %114 = getelementptr inbounds i8, ptr %106, i64 16
  store i64 %112, ptr %114, align 8
  %115 = shl nsw i64 %112, 1
  %116 = getelementptr inbounds i8, ptr %102, i64 %115
  br label %117

117:
  %118 = phi ptr [ %116, %111 ], [ %102, %101 ]
  %119 = add nuw nsw i64 %103, 1
  %120 = icmp eq i64 %119, %8
  br i1 %120, label %95, label %101

121:
  %122 = phi i64 [ 0, %98 ], [ %183, %224 ]
  br i1 %22, label %123, label %128

123:
  %124 = load ptr, ptr %23, align 8
  %125 = icmp ne i64 %122, 0
  %126 = add nsw i64 %122, -1
  %127 = trunc i64 %126 to i1
  br label %131

128:
  br i1 %24, label %129, label %156

129:
  %130 = trunc i64 %122 to i1
  br label %160

131:
  %132 = phi i64 [ 0, %123 ], [ %154, %151 ]
  %133 = getelementptr inbounds %struct.SequenceInput, ptr %124, i64 %132, i32 1
  %134 = load i64, ptr %133, align 8
  %135 = icmp sgt i64 %134, -1
  %136 = select i1 %125, i1 %135, i1 false
  br i1 %136, label %137, label %148

137:
  %138 = getelementptr inbounds %struct.SequenceOutput, ptr %12, i64 %134
  %139 = load ptr, ptr %138, align 8
  %140 = getelementptr inbounds i8, ptr %138, i64 8
  %141 = load i64, ptr %140, align 8
  %142 = mul nsw i64 %141, %126
  %143 = getelementptr inbounds i8, ptr %139, i64 %142
  %144 = getelementptr inbounds i8, ptr %138, i64 16
  %145 = load i64, ptr %144, align 8
  %146 = select i1 %127, i64 %145, i64 0
  %147 = getelementptr inbounds i8, ptr %143, i64 %146
  br label %151

148:
  %149 = getelementptr inbounds ptr, ptr %11, i64 %132
  %150 = load ptr, ptr %149, align 8
  br label %151

151:
  %152 = phi ptr [ %147, %137 ], [ %150, %148 ]
  %153 = getelementptr inbounds ptr, ptr %10, i64 %132
  store ptr %152, ptr %153, align 8
  %154 = add nuw nsw i64 %132, 1
  %155 = icmp eq i64 %154, %6
  br i1 %155, label %128, label %131

156:
  %157 = load i64, ptr %29, align 8
  %158 = icmp eq i64 %157, 0
  %159 = load ptr, ptr %0, align 8
  br i1 %158, label %176, label %175

160:
  %161 = phi i64 [ 0, %129 ], [ %173, %160 ]
  %162 = getelementptr inbounds %struct.SequenceOutput, ptr %12, i64 %161
  %163 = load ptr, ptr %162, align 8
  %164 = getelementptr inbounds i8, ptr %162, i64 8
  %165 = load i64, ptr %164, align 8
  %166 = mul nsw i64 %165, %122
  %167 = getelementptr inbounds i8, ptr %163, i64 %166
  %168 = getelementptr inbounds i8, ptr %162, i64 16
  %169 = load i64, ptr %168, align 8
  %170 = select i1 %130, i64 %169, i64 0
  %171 = getelementptr inbounds i8, ptr %167, i64 %170
  %172 = getelementptr ptr, ptr %28, i64 %161
  store ptr %171, ptr %172, align 8
  %173 = add nuw nsw i64 %161, 1
  %174 = icmp eq i64 %173, %8
  br i1 %174, label %156, label %160

175:
  call void %159(ptr noundef nonnull %10, ptr noundef %4) #8
  br label %177

176:
  call void %159(ptr noundef nonnull %10, ptr noundef nonnull %2, ptr noundef %4, ptr noundef null) #8
  br label %177

177:
  %178 = load i64, ptr %30, align 8
  %179 = load i64, ptr %2, align 8
  %180 = mul i64 %179, %178
  %181 = call zeroext i1 @poll_signals(i64 noundef %180) #10
  br i1 %181, label %280, label %182

182:
  %183 = add nuw nsw i64 %122, 1
  br i1 %100, label %224, label %184

184:
  %185 = trunc i64 %122 to i1
  br label %186

186:
  %187 = phi i64 [ 0, %184 ], [ %222, %221 ]
  %188 = load ptr, ptr %26, align 8
  %189 = getelementptr inbounds %struct.SequenceOutput, ptr %188, i64 %187, i32 1
  %190 = load i64, ptr %189, align 8
  %191 = icmp eq i64 %190, 0
  br i1 %191, label %192, label %195

192:
  %193 = load i64, ptr %27, align 8
  %194 = icmp eq i64 %183, %193
  br i1 %194, label %195, label %221

195:
  %196 = getelementptr inbounds %struct.SequenceOutput, ptr %188, i64 %187
  %197 = load ptr, ptr %196, align 8
  %198 = mul nsw i64 %190, %122
  %199 = getelementptr inbounds i8, ptr %197, i64 %198
  %200 = getelementptr inbounds i8, ptr %196, i64 16
  %201 = load i64, ptr %200, align 8
  %202 = select i1 %185, i64 %201, i64 0
  %203 = getelementptr inbounds i8, ptr %199, i64 %202
  %204 = add nsw i64 %187, %6
  %205 = getelementptr inbounds ptr, ptr %10, i64 %204
  %206 = load ptr, ptr %205, align 8
  %207 = load i64, ptr %2, align 8
  %208 = getelementptr inbounds i64, ptr %4, i64 %204
  %209 = load i64, ptr %208, align 8
  %210 = icmp sgt i64 %207, 0
  br i1 %210, label %211, label %221

211:
  %212 = phi i64 [ %219, %211 ], [ 0, %195 ]
  %213 = getelementptr inbounds i64, ptr %44, i64 %212
  %214 = load i64, ptr %213, align 8
  %215 = mul nsw i64 %214, %209
  %216 = getelementptr inbounds i8, ptr %203, i64 %215
  %217 = mul nsw i64 %212, %209
  %218 = getelementptr inbounds i8, ptr %206, i64 %217
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %216, ptr readonly align 1 %218, i64 %209, i1 false)
  %219 = add nuw nsw i64 %212, 1
  %220 = icmp eq i64 %219, %207
  br i1 %220, label %221, label %211

221:
  %222 = add nuw nsw i64 %187, 1
  %223 = icmp eq i64 %222, %8
  br i1 %223, label %224, label %186

224:
  %225 = load i64, ptr %27, align 8
  %226 = icmp slt i64 %183, %225
  br i1 %226, label %121, label %227

227:
  %228 = load i64, ptr %32, align 8
  %229 = icmp eq i64 %228, 0
  %230 = select i1 %229, i1 true, i1 %33
  br i1 %230, label %281, label %231

231:
  %232 = icmp eq ptr %44, null
  br label %233

233:
  %234 = phi i64 [ 0, %231 ], [ %278, %277 ]
  %235 = load ptr, ptr %23, align 8
  %236 = getelementptr inbounds %struct.SequenceInput, ptr %235, i64 %234
  %237 = getelementptr inbounds i8, ptr %236, i64 8
  %238 = load i64, ptr %237, align 8
  %239 = icmp slt i64 %238, 0
  br i1 %239, label %277, label %240

240:
  %241 = getelementptr inbounds %struct.SequenceOutput, ptr %12, i64 %238
  %242 = load i64, ptr %27, align 8
  %243 = add nsw i64 %242, -1
  %244 = load ptr, ptr %241, align 8
  %245 = getelementptr inbounds i8, ptr %241, i64 8
  %246 = load i64, ptr %245, align 8
  %247 = mul nsw i64 %246, %243
  %248 = getelementptr inbounds i8, ptr %244, i64 %247
  %249 = getelementptr inbounds i8, ptr %241, i64 16
  %250 = load i64, ptr %249, align 8
  %251 = trunc i64 %243 to i1
  %252 = select i1 %251, i64 %250, i64 0
  %253 = getelementptr inbounds i8, ptr %248, i64 %252
  %254 = load ptr, ptr %236, align 8
  br i1 %232, label %270, label %255

255:
  %256 = load i64, ptr %2, align 8
  %257 = getelementptr inbounds i64, ptr %4, i64 %234
  %258 = load i64, ptr %257, align 8
  %259 = icmp sgt i64 %256, 0
  br i1 %259, label %260, label %277

260:
  %261 = phi i64 [ %268, %260 ], [ 0, %255 ]
  %262 = getelementptr inbounds i64, ptr %44, i64 %261
  %263 = load i64, ptr %262, align 8
  %264 = mul nsw i64 %263, %258
  %265 = getelementptr inbounds i8, ptr %254, i64 %264
  %266 = mul nsw i64 %261, %258
  %267 = getelementptr inbounds i8, ptr %253, i64 %266
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %265, ptr readonly align 1 %267, i64 %258, i1 false)
  %268 = add nuw nsw i64 %261, 1
  %269 = icmp eq i64 %268, %256
  br i1 %269, label %277, label %260

270:
  %271 = getelementptr inbounds i64, ptr %4, i64 %234
  %272 = load i64, ptr %271, align 8
  %273 = mul nsw i64 %272, %38
  %274 = getelementptr inbounds i8, ptr %254, i64 %273
  %275 = load i64, ptr %2, align 8
  %276 = mul nsw i64 %275, %272
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %274, ptr align 1 %253, i64 %276, i1 false)
  br label %277

277:
  %278 = add nuw nsw i64 %234, 1
  %279 = icmp eq i64 %278, %6
  br i1 %279, label %281, label %233

280:
  br label %286

281:
  %282 = load i64, ptr %19, align 8
  %283 = add nsw i64 %282, %38
  %284 = load i64, ptr %15, align 8
  %285 = icmp slt i64 %283, %284
  br i1 %285, label %35, label %286

286:
  ret void
}

declare ptr @llvm.stacksave.p0() #3

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #4

declare void @llvm.stackrestore.p0(ptr) #3

define void @set_python(ptr nocapture noundef readonly %0) local_unnamed_addr #5 {
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(224) @python, ptr noundef nonnull align 8 dereferenceable(224) %0, i64 224, i1 false)
  ret void
}

define internal fastcc ptr @call_from_python(ptr noundef %0, ptr nocapture noundef readonly %1, i64 noundef %2, ptr noundef %3) unnamed_addr #2 {
  %5 = icmp eq ptr %3, null
  br i1 %5, label %9, label %6

6:
  %7 = getelementptr inbounds i8, ptr %3, i64 16
  %8 = load i64, ptr %7, align 8
  br label %9

9:
  %10 = phi i64 [ %8, %6 ], [ 0, %4 ]
  %11 = add nsw i64 %10, %2
  %12 = add nsw i64 %11, 1
  %13 = alloca ptr, i64 %12, align 16
  store ptr %0, ptr %13, align 16
  %14 = icmp sgt i64 %11, 0
  br i1 %14, label %23, label %15

15:
  %16 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 64), align 8
  %17 = getelementptr inbounds i8, ptr %0, i64 24
  %18 = load ptr, ptr %17, align 8
  %19 = getelementptr inbounds i8, ptr %18, i64 64
  %20 = load ptr, ptr %19, align 8
  %21 = add nuw i64 %2, 1
  %22 = call ptr %16(ptr noundef %20, ptr noundef nonnull %13, i64 noundef %21, ptr noundef %3) #8
  ret ptr %22

23:
  %24 = phi i64 [ %27, %23 ], [ 0, %9 ]
  %25 = getelementptr inbounds ptr, ptr %1, i64 %24
  %26 = load ptr, ptr %25, align 8
  %27 = add nuw nsw i64 %24, 1
  %28 = getelementptr inbounds ptr, ptr %13, i64 %27
  store ptr %26, ptr %28, align 8
  %29 = icmp eq i64 %27, %11
  br i1 %29, label %15, label %23
}

define internal fastcc i64 @row_step(ptr noundef %0, ptr nocapture noundef readonly %1, ptr nocapture noundef writeonly %2, ptr nocapture noundef %3, i32 noundef %4) unnamed_addr #6 {
  %6 = getelementptr inbounds i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = load ptr, ptr @python, align 8
  %9 = icmp eq ptr %7, %8
  br i1 %9, label %26, label %10

10:
  %11 = load i64, ptr %1, align 8
  %12 = icmp eq i64 %11, 0
  br i1 %12, label %13, label %89

13:
  %14 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %15 = icmp eq ptr %7, %14
  %16 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %17 = icmp eq ptr %7, %16
  %18 = select i1 %15, i1 true, i1 %17
  br i1 %18, label %19, label %89

19:
  %20 = getelementptr inbounds i8, ptr %1, i64 32
  %21 = load ptr, ptr %20, align 8
  %22 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %23 = icmp eq ptr %21, %22
  br i1 %23, label %24, label %89

24:
  %25 = getelementptr inbounds i8, ptr %0, i64 16
  store ptr %25, ptr %2, align 8
  br label %89

26:
  %27 = getelementptr inbounds i8, ptr %0, i64 24
  %28 = load i32, ptr %27, align 8
  %29 = sext i32 %28 to i64
  %30 = load i64, ptr %1, align 8
  %31 = sub nsw i64 %29, %30
  %32 = getelementptr inbounds i8, ptr %0, i64 56
  %33 = load ptr, ptr %32, align 8
  %34 = getelementptr inbounds i8, ptr %1, i64 32
  %35 = load ptr, ptr %34, align 8
  %36 = icmp eq ptr %33, %35
  br i1 %36, label %37, label %89

37:
  %38 = getelementptr inbounds i8, ptr %0, i64 64
  %39 = load i32, ptr %38, align 8
  %40 = and i32 %39, %4
  %41 = icmp ne i32 %40, %4
  %42 = icmp ugt i64 %31, 1
  %43 = select i1 %41, i1 true, i1 %42
  br i1 %43, label %89, label %44

44:
  %45 = icmp sgt i64 %30, 0
  br i1 %45, label %46, label %72

46:
  %47 = getelementptr inbounds i8, ptr %0, i64 32
  %48 = load ptr, ptr %47, align 8
  %49 = getelementptr inbounds i8, ptr %1, i64 16
  %50 = load ptr, ptr %49, align 8
  %51 = getelementptr inbounds i8, ptr %0, i64 40
  %52 = getelementptr inbounds i8, ptr %1, i64 24
  br label %56

53:
  %54 = add nuw nsw i64 %57, 1
  %55 = icmp eq i64 %54, %30
  br i1 %55, label %72, label %56

56:
  %57 = phi i64 [ 0, %46 ], [ %54, %53 ]
  %58 = add nuw nsw i64 %57, %31
  %59 = getelementptr inbounds i64, ptr %48, i64 %58
  %60 = load i64, ptr %59, align 8
  %61 = getelementptr inbounds i64, ptr %50, i64 %57
  %62 = load i64, ptr %61, align 8
  %63 = icmp eq i64 %60, %62
  br i1 %63, label %64, label %89

64:
  %65 = load ptr, ptr %51, align 8
  %66 = getelementptr inbounds i64, ptr %65, i64 %58
  %67 = load i64, ptr %66, align 8
  %68 = load ptr, ptr %52, align 8
  %69 = getelementptr inbounds i64, ptr %68, i64 %57
  %70 = load i64, ptr %69, align 8
  %71 = icmp eq i64 %67, %70
  br i1 %71, label %53, label %89

72:
  %73 = getelementptr inbounds i8, ptr %0, i64 16
  %74 = load ptr, ptr %73, align 8
  store ptr %74, ptr %2, align 8
  %75 = icmp eq i64 %30, %29
  br i1 %75, label %89, label %76

76:
  %77 = load i64, ptr %3, align 8
  %78 = icmp eq i64 %77, -1
  %79 = getelementptr inbounds i8, ptr %0, i64 32
  %80 = load ptr, ptr %79, align 8
  %81 = load i64, ptr %80, align 8
  br i1 %78, label %84, label %82

82:
  %83 = icmp eq i64 %77, %81
  br i1 %83, label %84, label %89

84:
  %85 = phi i64 [ %77, %82 ], [ %81, %76 ]
  store i64 %85, ptr %3, align 8
  %86 = getelementptr inbounds i8, ptr %0, i64 40
  %87 = load ptr, ptr %86, align 8
  %88 = load i64, ptr %87, align 8
  br label %89

89:
  %90 = phi i64 [ 0, %24 ], [ -1, %19 ], [ -1, %10 ], [ %88, %84 ], [ -1, %37 ], [ -1, %26 ], [ 0, %72 ], [ -1, %82 ], [ -1, %13 ], [ -1, %56 ], [ -1, %64 ]
  ret i64 %90
}

define internal fastcc ptr @collect(ptr nocapture noundef readonly %0, i64 noundef %1) unnamed_addr #0 {
  %3 = icmp eq i64 %1, 1
  br i1 %3, label %4, label %6

4:
  %5 = load ptr, ptr %0, align 8
  br label %31

6:
  %7 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 72), align 8
  %8 = tail call ptr %7(i64 noundef %1) #8
  %9 = icmp eq ptr %8, null
  %10 = icmp sgt i64 %1, 0
  br i1 %9, label %12, label %11

11:
  br i1 %10, label %23, label %31

12:
  br i1 %10, label %13, label %31

13:
  %14 = phi i64 [ %21, %20 ], [ 0, %12 ]
  %15 = getelementptr inbounds ptr, ptr %0, i64 %14
  %16 = load ptr, ptr %15, align 8
  %17 = icmp eq ptr %16, null
  br i1 %17, label %20, label %18

18:
  %19 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  tail call void %19(ptr noundef nonnull %16) #8
  br label %20

20:
  %21 = add nuw nsw i64 %14, 1
  %22 = icmp eq i64 %21, %1
  br i1 %22, label %31, label %13

23:
  %24 = phi i64 [ %29, %23 ], [ 0, %11 ]
  %25 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 80), align 8
  %26 = getelementptr inbounds ptr, ptr %0, i64 %24
  %27 = load ptr, ptr %26, align 8
  %28 = tail call i32 %25(ptr noundef nonnull %8, i64 noundef %24, ptr noundef %27) #8
  %29 = add nuw nsw i64 %24, 1
  %30 = icmp eq i64 %29, %1
  br i1 %30, label %31, label %23

31:
  %32 = phi ptr [ %5, %4 ], [ null, %12 ], [ %8, %11 ], [ null, %20 ], [ %8, %23 ]
  ret ptr %32
}

define internal fastcc ptr @make_results(ptr nocapture noundef readonly %0, ptr noundef %1) unnamed_addr #2 {
  %3 = getelementptr inbounds i8, ptr %0, i64 32
  %4 = load i64, ptr %3, align 8
  %5 = getelementptr inbounds i8, ptr %0, i64 56
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds i8, ptr %0, i64 24
  %8 = load i64, ptr %7, align 8
  %9 = getelementptr inbounds %struct.Slot, ptr %6, i64 %8
  %10 = alloca ptr, i64 %4, align 16
  %11 = alloca double, i64 %4, align 16
  %12 = icmp sgt i64 %4, 0
  br i1 %12, label %13, label %57

13:
  %14 = phi i64 [ %55, %54 ], [ 0, %2 ]
  %15 = getelementptr inbounds ptr, ptr %10, i64 %14
  store ptr null, ptr %15, align 8
  %16 = getelementptr inbounds double, ptr %11, i64 %14
  %17 = load i64, ptr %7, align 8
  %18 = getelementptr ptr, ptr %1, i64 %17
  %19 = getelementptr ptr, ptr %18, i64 %14
  store ptr %16, ptr %19, align 8
  %20 = getelementptr inbounds %struct.Slot, ptr %9, i64 %14
  %21 = load i64, ptr %20, align 8
  %22 = icmp eq i64 %21, 0
  br i1 %22, label %54, label %23

23:
  %24 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  %25 = getelementptr inbounds i8, ptr %20, i64 32
  %26 = load ptr, ptr %25, align 8
  call void %24(ptr noundef %26) #8
  %27 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %28 = load ptr, ptr @python, align 8
  %29 = load ptr, ptr %25, align 8
  %30 = load i64, ptr %20, align 8
  %31 = trunc i64 %30 to i32
  %32 = getelementptr inbounds i8, ptr %20, i64 16
  %33 = load ptr, ptr %32, align 8
  %34 = call ptr %27(ptr noundef %28, ptr noundef %29, i32 noundef %31, ptr noundef %33, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  store ptr %34, ptr %15, align 8
  %35 = icmp eq ptr %34, null
  br i1 %35, label %36, label %48, !prof !5

36:
  %37 = icmp eq i64 %14, 0
  br i1 %37, label %149, label %38

38:
  %39 = phi i64 [ %46, %45 ], [ 0, %36 ]
  %40 = getelementptr inbounds ptr, ptr %10, i64 %39
  %41 = load ptr, ptr %40, align 8
  %42 = icmp eq ptr %41, null
  br i1 %42, label %45, label %43

43:
  %44 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %44(ptr noundef nonnull %41) #8
  br label %45

45:
  %46 = add nuw nsw i64 %39, 1
  %47 = icmp eq i64 %46, %14
  br i1 %47, label %149, label %38

48:
  %49 = getelementptr inbounds i8, ptr %34, i64 16
  %50 = load ptr, ptr %49, align 8
  %51 = load i64, ptr %7, align 8
  %52 = getelementptr ptr, ptr %1, i64 %51
  %53 = getelementptr ptr, ptr %52, i64 %14
  store ptr %50, ptr %53, align 8
  br label %54

54:
  %55 = add nuw nsw i64 %14, 1
  %56 = icmp eq i64 %55, %4
  br i1 %56, label %57, label %13

57:
  %58 = load ptr, ptr %0, align 8
  %59 = getelementptr inbounds i8, ptr %0, i64 48
  %60 = load ptr, ptr %59, align 8
  call void %58(ptr noundef %1, ptr noundef %60) #8
  %61 = getelementptr inbounds i8, ptr %0, i64 72
  %62 = load i64, ptr %61, align 8
  %63 = icmp eq i64 %62, 0
  br i1 %63, label %92, label %64

64:
  %65 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 216), align 8
  %66 = getelementptr inbounds i8, ptr %65, i64 8
  %67 = load ptr, ptr %66, align 8
  %68 = icmp eq ptr %67, null
  br i1 %68, label %92, label %69

69:
  %70 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %71 = call i64 %70() #8
  %72 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 208), align 8
  %73 = and i64 %72, %71
  %74 = load i64, ptr %65, align 8
  %75 = icmp eq i64 %73, %74
  br i1 %75, label %76, label %92

76:
  store ptr null, ptr %66, align 8
  %77 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %78 = getelementptr inbounds i8, ptr %65, i64 16
  %79 = load ptr, ptr %78, align 8
  %80 = getelementptr inbounds i8, ptr %65, i64 24
  %81 = load ptr, ptr %80, align 8
  call void %77(ptr noundef nonnull %67, ptr noundef %79, ptr noundef %81) #8
  br i1 %12, label %82, label %149

82:
  %83 = phi i64 [ %90, %89 ], [ 0, %76 ]
  %84 = getelementptr inbounds ptr, ptr %10, i64 %83
  %85 = load ptr, ptr %84, align 8
  %86 = icmp eq ptr %85, null
  br i1 %86, label %89, label %87

87:
  %88 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %88(ptr noundef nonnull %85) #8
  br label %89

89:
  %90 = add nuw nsw i64 %83, 1
  %91 = icmp eq i64 %90, %4
  br i1 %91, label %149, label %82

92:
  br i1 %12, label %93, label %126

93:
  %94 = phi i64 [ %116, %115 ], [ 0, %92 ]
  %95 = getelementptr inbounds ptr, ptr %10, i64 %94
  %96 = load ptr, ptr %95, align 8
  %97 = icmp eq ptr %96, null
  br i1 %97, label %98, label %115

98:
  %99 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %100 = getelementptr inbounds double, ptr %11, i64 %94
  %101 = getelementptr inbounds %struct.Slot, ptr %9, i64 %94, i32 4
  %102 = load ptr, ptr %101, align 8
  %103 = call ptr %99(ptr noundef nonnull %100, ptr noundef %102, ptr noundef null) #8
  store ptr %103, ptr %95, align 8
  %104 = icmp eq ptr %103, null
  br i1 %104, label %105, label %115, !prof !5

105:
  %106 = phi i64 [ %113, %112 ], [ 0, %98 ]
  %107 = getelementptr inbounds ptr, ptr %10, i64 %106
  %108 = load ptr, ptr %107, align 8
  %109 = icmp eq ptr %108, null
  br i1 %109, label %112, label %110

110:
  %111 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %111(ptr noundef nonnull %108) #8
  br label %112

112:
  %113 = add nuw nsw i64 %106, 1
  %114 = icmp eq i64 %113, %4
  br i1 %114, label %149, label %105

115:
  %116 = add nuw nsw i64 %94, 1
  %117 = icmp eq i64 %116, %4
  br i1 %117, label %118, label %93

118:
  %119 = icmp eq i64 %4, 1
  br i1 %119, label %120, label %122

120:
  %121 = load ptr, ptr %10, align 16
  br label %149

122:
  %123 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 72), align 8
  %124 = call ptr %123(i64 noundef %4) #8
  %125 = icmp eq ptr %124, null
  br i1 %125, label %130, label %129

126:
  %127 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 72), align 8
  %128 = call ptr %127(i64 noundef %4) #8
  br label %149

129:
  br i1 %12, label %141, label %149

130:
  br i1 %12, label %131, label %149

131:
  %132 = phi i64 [ %139, %138 ], [ 0, %130 ]
  %133 = getelementptr inbounds ptr, ptr %10, i64 %132
  %134 = load ptr, ptr %133, align 8
  %135 = icmp eq ptr %134, null
  br i1 %135, label %138, label %136

136:
  %137 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %137(ptr noundef nonnull %134) #8
  br label %138

138:
  %139 = add nuw nsw i64 %132, 1
  %140 = icmp eq i64 %139, %4
  br i1 %140, label %149, label %131

141:
  %142 = phi i64 [ %147, %141 ], [ 0, %129 ]
  %143 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 80), align 8
  %144 = getelementptr inbounds ptr, ptr %10, i64 %142
  %145 = load ptr, ptr %144, align 8
  %146 = call i32 %143(ptr noundef nonnull %124, i64 noundef %142, ptr noundef %145) #8
  %147 = add nuw nsw i64 %142, 1
  %148 = icmp eq i64 %147, %4
  br i1 %148, label %149, label %141

149:
  %150 = phi ptr [ null, %36 ], [ null, %76 ], [ %121, %120 ], [ null, %130 ], [ %124, %129 ], [ %128, %126 ], [ null, %112 ], [ null, %138 ], [ %124, %141 ], [ null, %89 ], [ null, %45 ]
  ret ptr %150
}

declare i64 @llvm.smin.i64(i64, i64) #7

declare i64 @llvm.smax.i64(i64, i64) #7

attributes #0 = { nounwind }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { noinline nounwind }
attributes #3 = { mustprogress nocallback nofree nosync nounwind willreturn }
attributes #4 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { mustprogress nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none) }
attributes #6 = { nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none) }
attributes #7 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #8 = { nobuiltin nounwind }
attributes #9 = { nounwind }
attributes #10 = { nobuiltin }

!5 = !{!"branch_weights", !"expected", i32 1, i32 2000}
!6 = !{!"branch_weights", !"expected", i32 2000, i32 1}
!8 = !{!"branch_weights", i32 2146410443, i32 1073205}
!9 = !{!"branch_weights", !"expected", i32 -2147483648, i32 0}
!10 = !{!"branch_weights", i32 1073205, i32 2146410443}
!21 = !{!"branch_weights", i32 -294967296, i32 6003000}
!22 = !{!"branch_weights", !"expected", i32 0, i32 -2147483648}
