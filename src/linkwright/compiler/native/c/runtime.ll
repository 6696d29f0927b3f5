%struct.Python = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, ptr }
%struct.Slot = type { i64, i64, ptr, ptr }
%struct.SequenceInput = type { ptr, i64 }
%struct.SequenceOutput = type { ptr, i64, i64 }

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
  %2 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 192), align 8
  %3 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %4 = tail call i64 %3() #8
  %5 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 184), align 8
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
  %1 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 192), align 8
  %2 = getelementptr inbounds i8, ptr %1, i64 8
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %18, label %5

5:
  %6 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %7 = tail call i64 %6() #8
  %8 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 184), align 8
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
  br label %1023

23:
  %24 = icmp eq i64 %14, 1
  br i1 %24, label %25, label %744

25:
  switch i64 %12, label %744 [
    i64 1, label %50
    i64 2, label %38
    i64 3, label %26
  ]

26:
  %27 = getelementptr inbounds i8, ptr %11, i64 56
  %28 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %29 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %30 = load ptr, ptr @python, align 8
  %31 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %32 = load ptr, ptr %27, align 8
  %33 = load i64, ptr %32, align 8
  %34 = icmp eq i64 %33, 0
  %35 = load ptr, ptr %1, align 8
  %36 = getelementptr inbounds i8, ptr %35, i64 8
  %37 = load ptr, ptr %36, align 8
  br i1 %34, label %466, label %472

38:
  %39 = getelementptr inbounds i8, ptr %11, i64 56
  %40 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %41 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %42 = load ptr, ptr @python, align 8
  %43 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %44 = load ptr, ptr %39, align 8
  %45 = load i64, ptr %44, align 8
  %46 = icmp eq i64 %45, 0
  %47 = load ptr, ptr %1, align 8
  %48 = getelementptr inbounds i8, ptr %47, i64 8
  %49 = load ptr, ptr %48, align 8
  br i1 %46, label %240, label %246

50:
  %51 = getelementptr inbounds i8, ptr %11, i64 56
  %52 = load ptr, ptr @python, align 8
  %53 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %54 = load ptr, ptr %51, align 8
  %55 = load i64, ptr %54, align 8
  %56 = icmp eq i64 %55, 0
  %57 = load ptr, ptr %1, align 8
  br i1 %56, label %61, label %58

58:
  %59 = getelementptr inbounds i8, ptr %57, i64 8
  %60 = load ptr, ptr %59, align 8
  br label %71

61:
  %62 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %63 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %64 = getelementptr inbounds i8, ptr %57, i64 8
  %65 = load ptr, ptr %64, align 8
  %66 = icmp eq ptr %65, %63
  %67 = icmp eq ptr %65, %62
  %68 = select i1 %66, i1 true, i1 %67
  br i1 %68, label %69, label %71

69:
  %70 = getelementptr inbounds i8, ptr %57, i64 16
  br label %110

71:
  %72 = phi ptr [ %60, %58 ], [ %65, %61 ]
  %73 = icmp eq ptr %72, %52
  br i1 %73, label %74, label %105, !prof !6

74:
  %75 = getelementptr inbounds i8, ptr %57, i64 56
  %76 = load ptr, ptr %75, align 8
  %77 = icmp ne ptr %76, %53
  %78 = getelementptr inbounds i8, ptr %57, i64 24
  %79 = load i32, ptr %78, align 8
  %80 = sext i32 %79 to i64
  %81 = icmp ne i64 %55, %80
  %82 = or i1 %77, %81
  %83 = getelementptr inbounds i8, ptr %57, i64 64
  %84 = load i32, ptr %83, align 8
  %85 = and i32 %84, 257
  %86 = icmp ne i32 %85, 257
  %87 = or i1 %82, %86
  br i1 %87, label %105, label %88, !prof !5

88:
  %89 = icmp sgt i64 %55, 0
  br i1 %89, label %90, label %107

90:
  %91 = getelementptr inbounds i8, ptr %57, i64 32
  %92 = load ptr, ptr %91, align 8
  %93 = getelementptr inbounds i8, ptr %54, i64 16
  %94 = load ptr, ptr %93, align 8
  br label %98

95:
  %96 = add nuw nsw i64 %99, 1
  %97 = icmp eq i64 %96, %55
  br i1 %97, label %107, label %98

98:
  %99 = phi i64 [ 0, %90 ], [ %96, %95 ]
  %100 = getelementptr inbounds i64, ptr %92, i64 %99
  %101 = load i64, ptr %100, align 8
  %102 = getelementptr inbounds i64, ptr %94, i64 %99
  %103 = load i64, ptr %102, align 8
  %104 = icmp eq i64 %101, %103
  br i1 %104, label %95, label %113, !prof !6

105:
  %106 = tail call fastcc ptr @call_batch(ptr noundef nonnull %0, ptr noundef nonnull %1, i64 noundef 1, ptr noundef %3) #10
  br label %1023

107:
  %108 = getelementptr inbounds i8, ptr %57, i64 16
  %109 = load ptr, ptr %108, align 8
  br label %110

110:
  %111 = phi ptr [ %70, %69 ], [ %109, %107 ]
  store ptr %111, ptr %9, align 16
  %112 = icmp eq ptr %3, null
  br i1 %112, label %115, label %158

113:
  %114 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 1, ptr noundef %3) #10
  br label %1023

115:
  %116 = getelementptr inbounds i8, ptr %54, i64 32
  %117 = getelementptr inbounds i8, ptr %9, i64 8
  %118 = load i64, ptr %116, align 8
  %119 = icmp eq i64 %118, 0
  br i1 %119, label %144, label %120

120:
  %121 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  tail call void %121(ptr noundef %53) #8
  %122 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %123 = load ptr, ptr @python, align 8
  %124 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %125 = load i64, ptr %116, align 8
  %126 = trunc i64 %125 to i32
  %127 = getelementptr inbounds i8, ptr %54, i64 48
  %128 = load ptr, ptr %127, align 8
  %129 = tail call ptr %122(ptr noundef %123, ptr noundef %124, i32 noundef %126, ptr noundef %128, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %130 = icmp eq ptr %129, null
  br i1 %130, label %1023, label %131, !prof !5

131:
  %132 = getelementptr inbounds i8, ptr %129, i64 16
  %133 = load ptr, ptr %132, align 8
  store ptr %133, ptr %117, align 8
  %134 = load ptr, ptr %11, align 8
  %135 = getelementptr inbounds i8, ptr %11, i64 48
  %136 = load ptr, ptr %135, align 8
  call void %134(ptr noundef nonnull %9, ptr noundef %136) #8
  %137 = getelementptr inbounds i8, ptr %11, i64 72
  %138 = load i64, ptr %137, align 8
  %139 = icmp eq i64 %138, 0
  br i1 %139, label %1023, label %140, !prof !6

140:
  %141 = call zeroext i1 @raise_pending() #10
  br i1 %141, label %142, label %1023

142:
  %143 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %143(ptr noundef nonnull %129) #8
  br label %1023

144:
  store ptr %8, ptr %117, align 8
  %145 = getelementptr inbounds i8, ptr %11, i64 48
  %146 = load ptr, ptr %145, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %146) #8
  %147 = getelementptr inbounds i8, ptr %11, i64 72
  %148 = load i64, ptr %147, align 8
  %149 = icmp eq i64 %148, 0
  br i1 %149, label %152, label %150

150:
  %151 = call zeroext i1 @raise_pending() #10
  br i1 %151, label %156, label %152

152:
  %153 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %154 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %155 = call ptr %153(ptr noundef nonnull %8, ptr noundef %154, ptr noundef null) #8
  br label %156

156:
  %157 = phi ptr [ %155, %152 ], [ null, %150 ]
  br label %1023

158:
  %159 = getelementptr inbounds i8, ptr %1, i64 8
  %160 = load ptr, ptr %159, align 8
  %161 = getelementptr inbounds i8, ptr %54, i64 32
  %162 = getelementptr inbounds i8, ptr %3, i64 16
  %163 = load i64, ptr %162, align 8
  %164 = icmp eq i64 %163, 1
  br i1 %164, label %165, label %171, !prof !8

165:
  %166 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 176), align 8
  %167 = getelementptr inbounds i8, ptr %3, i64 %166
  %168 = load ptr, ptr %167, align 8
  %169 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 40), align 8
  %170 = icmp eq ptr %168, %169
  br i1 %170, label %173, label %171, !prof !9

171:
  %172 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 1, ptr noundef nonnull %3) #10
  br label %1023

173:
  %174 = getelementptr inbounds i8, ptr %160, i64 8
  %175 = load ptr, ptr %174, align 8
  %176 = icmp eq ptr %175, %52
  br i1 %176, label %177, label %209, !prof !6

177:
  %178 = getelementptr inbounds i8, ptr %160, i64 56
  %179 = load ptr, ptr %178, align 8
  %180 = icmp ne ptr %179, %53
  %181 = getelementptr inbounds i8, ptr %160, i64 24
  %182 = load i32, ptr %181, align 8
  %183 = sext i32 %182 to i64
  %184 = load i64, ptr %161, align 8
  %185 = icmp ne i64 %184, %183
  %186 = or i1 %180, %185
  %187 = getelementptr inbounds i8, ptr %160, i64 64
  %188 = load i32, ptr %187, align 8
  %189 = and i32 %188, 1281
  %190 = icmp ne i32 %189, 1281
  %191 = or i1 %186, %190
  br i1 %191, label %209, label %192, !prof !5

192:
  %193 = icmp sgt i32 %182, 0
  br i1 %193, label %194, label %211

194:
  %195 = getelementptr inbounds i8, ptr %160, i64 32
  %196 = load ptr, ptr %195, align 8
  %197 = getelementptr inbounds i8, ptr %54, i64 48
  %198 = load ptr, ptr %197, align 8
  br label %202

199:
  %200 = add nuw nsw i64 %203, 1
  %201 = icmp eq i64 %200, %183
  br i1 %201, label %211, label %202

202:
  %203 = phi i64 [ 0, %194 ], [ %200, %199 ]
  %204 = getelementptr inbounds i64, ptr %196, i64 %203
  %205 = load i64, ptr %204, align 8
  %206 = getelementptr inbounds i64, ptr %198, i64 %203
  %207 = load i64, ptr %206, align 8
  %208 = icmp eq i64 %205, %207
  br i1 %208, label %199, label %209, !prof !6

209:
  %210 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 1, ptr noundef nonnull %3) #10
  br label %1023

211:
  %212 = getelementptr inbounds i8, ptr %160, i64 16
  %213 = load ptr, ptr %212, align 8
  %214 = getelementptr inbounds i8, ptr %9, i64 8
  store ptr %213, ptr %214, align 8
  %215 = getelementptr inbounds i8, ptr %11, i64 48
  %216 = load ptr, ptr %215, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %216) #8
  %217 = getelementptr inbounds i8, ptr %11, i64 72
  %218 = load i64, ptr %217, align 8
  %219 = icmp eq i64 %218, 0
  br i1 %219, label %238, label %220

220:
  %221 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 192), align 8
  %222 = getelementptr inbounds i8, ptr %221, i64 8
  %223 = load ptr, ptr %222, align 8
  %224 = icmp eq ptr %223, null
  br i1 %224, label %238, label %225

225:
  %226 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %227 = call i64 %226() #8
  %228 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 184), align 8
  %229 = and i64 %228, %227
  %230 = load i64, ptr %221, align 8
  %231 = icmp eq i64 %229, %230
  br i1 %231, label %232, label %238, !prof !10

232:
  store ptr null, ptr %222, align 8
  %233 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %234 = getelementptr inbounds i8, ptr %221, i64 16
  %235 = load ptr, ptr %234, align 8
  %236 = getelementptr inbounds i8, ptr %221, i64 24
  %237 = load ptr, ptr %236, align 8
  call void %233(ptr noundef nonnull %223, ptr noundef %235, ptr noundef %237) #8
  br label %1023

238:
  %239 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %239(ptr noundef nonnull %160) #8
  br label %1023

240:
  %241 = icmp eq ptr %49, %40
  %242 = icmp eq ptr %49, %41
  %243 = select i1 %241, i1 true, i1 %242
  br i1 %243, label %244, label %246

244:
  %245 = getelementptr inbounds i8, ptr %47, i64 16
  br label %284

246:
  %247 = icmp eq ptr %49, %42
  br i1 %247, label %248, label %279, !prof !6

248:
  %249 = getelementptr inbounds i8, ptr %47, i64 56
  %250 = load ptr, ptr %249, align 8
  %251 = icmp ne ptr %250, %43
  %252 = getelementptr inbounds i8, ptr %47, i64 24
  %253 = load i32, ptr %252, align 8
  %254 = sext i32 %253 to i64
  %255 = icmp ne i64 %45, %254
  %256 = or i1 %251, %255
  %257 = getelementptr inbounds i8, ptr %47, i64 64
  %258 = load i32, ptr %257, align 8
  %259 = and i32 %258, 257
  %260 = icmp ne i32 %259, 257
  %261 = or i1 %256, %260
  br i1 %261, label %279, label %262, !prof !5

262:
  %263 = icmp sgt i64 %45, 0
  br i1 %263, label %264, label %281

264:
  %265 = getelementptr inbounds i8, ptr %47, i64 32
  %266 = load ptr, ptr %265, align 8
  %267 = getelementptr inbounds i8, ptr %44, i64 16
  %268 = load ptr, ptr %267, align 8
  br label %272

269:
  %270 = add nuw nsw i64 %273, 1
  %271 = icmp eq i64 %270, %45
  br i1 %271, label %281, label %272

272:
  %273 = phi i64 [ 0, %264 ], [ %270, %269 ]
  %274 = getelementptr inbounds i64, ptr %266, i64 %273
  %275 = load i64, ptr %274, align 8
  %276 = getelementptr inbounds i64, ptr %268, i64 %273
  %277 = load i64, ptr %276, align 8
  %278 = icmp eq i64 %275, %277
  br i1 %278, label %269, label %339, !prof !6

279:
  %280 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 2, ptr noundef %3) #10
  br label %1023

281:
  %282 = getelementptr inbounds i8, ptr %47, i64 16
  %283 = load ptr, ptr %282, align 8
  br label %284

284:
  %285 = phi ptr [ %283, %281 ], [ %245, %244 ]
  store ptr %285, ptr %9, align 16
  %286 = getelementptr inbounds i8, ptr %44, i64 32
  %287 = load i64, ptr %286, align 8
  %288 = icmp eq i64 %287, 0
  %289 = getelementptr inbounds i8, ptr %1, i64 8
  %290 = load ptr, ptr %289, align 8
  %291 = getelementptr inbounds i8, ptr %290, i64 8
  %292 = load ptr, ptr %291, align 8
  br i1 %288, label %293, label %297

293:
  %294 = icmp eq ptr %292, %40
  %295 = icmp eq ptr %292, %41
  %296 = select i1 %294, i1 true, i1 %295
  br i1 %296, label %333, label %297

297:
  %298 = icmp eq ptr %292, %42
  br i1 %298, label %299, label %279, !prof !6

299:
  %300 = getelementptr inbounds i8, ptr %290, i64 56
  %301 = load ptr, ptr %300, align 8
  %302 = icmp ne ptr %301, %43
  %303 = getelementptr inbounds i8, ptr %290, i64 24
  %304 = load i32, ptr %303, align 8
  %305 = sext i32 %304 to i64
  %306 = icmp ne i64 %287, %305
  %307 = or i1 %302, %306
  %308 = getelementptr inbounds i8, ptr %290, i64 64
  %309 = load i32, ptr %308, align 8
  %310 = and i32 %309, 257
  %311 = icmp ne i32 %310, 257
  %312 = or i1 %307, %311
  br i1 %312, label %279, label %313, !prof !5

313:
  %314 = icmp sgt i64 %287, 0
  br i1 %314, label %315, label %330

315:
  %316 = getelementptr inbounds i8, ptr %290, i64 32
  %317 = load ptr, ptr %316, align 8
  %318 = getelementptr inbounds i8, ptr %44, i64 48
  %319 = load ptr, ptr %318, align 8
  br label %320

320:
  %321 = phi i64 [ 0, %315 ], [ %328, %327 ]
  %322 = getelementptr inbounds i64, ptr %317, i64 %321
  %323 = load i64, ptr %322, align 8
  %324 = getelementptr inbounds i64, ptr %319, i64 %321
  %325 = load i64, ptr %324, align 8
  %326 = icmp eq i64 %323, %325
  br i1 %326, label %327, label %339, !prof !6

327:
  %328 = add nuw nsw i64 %321, 1
  %329 = icmp eq i64 %328, %287
  br i1 %329, label %330, label %320

330:
  %331 = getelementptr inbounds i8, ptr %290, i64 16
  %332 = load ptr, ptr %331, align 8
  br label %335

333:
  %334 = getelementptr inbounds i8, ptr %290, i64 16
  br label %335

335:
  %336 = phi ptr [ %334, %333 ], [ %332, %330 ]
  %337 = getelementptr inbounds i8, ptr %9, i64 8
  store ptr %336, ptr %337, align 8
  %338 = icmp eq ptr %3, null
  br i1 %338, label %341, label %384

339:
  %340 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 2, ptr noundef %3) #10
  br label %1023

341:
  %342 = getelementptr inbounds i8, ptr %44, i64 64
  %343 = getelementptr inbounds i8, ptr %9, i64 16
  %344 = load i64, ptr %342, align 8
  %345 = icmp eq i64 %344, 0
  br i1 %345, label %370, label %346

346:
  %347 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  tail call void %347(ptr noundef %43) #8
  %348 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %349 = load ptr, ptr @python, align 8
  %350 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %351 = load i64, ptr %342, align 8
  %352 = trunc i64 %351 to i32
  %353 = getelementptr inbounds i8, ptr %44, i64 80
  %354 = load ptr, ptr %353, align 8
  %355 = tail call ptr %348(ptr noundef %349, ptr noundef %350, i32 noundef %352, ptr noundef %354, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %356 = icmp eq ptr %355, null
  br i1 %356, label %1023, label %357, !prof !5

357:
  %358 = getelementptr inbounds i8, ptr %355, i64 16
  %359 = load ptr, ptr %358, align 8
  store ptr %359, ptr %343, align 16
  %360 = load ptr, ptr %11, align 8
  %361 = getelementptr inbounds i8, ptr %11, i64 48
  %362 = load ptr, ptr %361, align 8
  call void %360(ptr noundef nonnull %9, ptr noundef %362) #8
  %363 = getelementptr inbounds i8, ptr %11, i64 72
  %364 = load i64, ptr %363, align 8
  %365 = icmp eq i64 %364, 0
  br i1 %365, label %1023, label %366, !prof !6

366:
  %367 = call zeroext i1 @raise_pending() #10
  br i1 %367, label %368, label %1023

368:
  %369 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %369(ptr noundef nonnull %355) #8
  br label %1023

370:
  store ptr %7, ptr %343, align 16
  %371 = getelementptr inbounds i8, ptr %11, i64 48
  %372 = load ptr, ptr %371, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %372) #8
  %373 = getelementptr inbounds i8, ptr %11, i64 72
  %374 = load i64, ptr %373, align 8
  %375 = icmp eq i64 %374, 0
  br i1 %375, label %378, label %376

376:
  %377 = call zeroext i1 @raise_pending() #10
  br i1 %377, label %382, label %378

378:
  %379 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %380 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %381 = call ptr %379(ptr noundef nonnull %7, ptr noundef %380, ptr noundef null) #8
  br label %382

382:
  %383 = phi ptr [ %381, %378 ], [ null, %376 ]
  br label %1023

384:
  %385 = getelementptr inbounds i8, ptr %1, i64 16
  %386 = load ptr, ptr %385, align 8
  %387 = getelementptr inbounds i8, ptr %44, i64 64
  %388 = getelementptr inbounds i8, ptr %3, i64 16
  %389 = load i64, ptr %388, align 8
  %390 = icmp eq i64 %389, 1
  br i1 %390, label %391, label %397, !prof !8

391:
  %392 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 176), align 8
  %393 = getelementptr inbounds i8, ptr %3, i64 %392
  %394 = load ptr, ptr %393, align 8
  %395 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 40), align 8
  %396 = icmp eq ptr %394, %395
  br i1 %396, label %399, label %397, !prof !9

397:
  %398 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 2, ptr noundef nonnull %3) #10
  br label %1023

399:
  %400 = getelementptr inbounds i8, ptr %386, i64 8
  %401 = load ptr, ptr %400, align 8
  %402 = icmp eq ptr %401, %42
  br i1 %402, label %403, label %435, !prof !6

403:
  %404 = getelementptr inbounds i8, ptr %386, i64 56
  %405 = load ptr, ptr %404, align 8
  %406 = icmp ne ptr %405, %43
  %407 = getelementptr inbounds i8, ptr %386, i64 24
  %408 = load i32, ptr %407, align 8
  %409 = sext i32 %408 to i64
  %410 = load i64, ptr %387, align 8
  %411 = icmp ne i64 %410, %409
  %412 = or i1 %406, %411
  %413 = getelementptr inbounds i8, ptr %386, i64 64
  %414 = load i32, ptr %413, align 8
  %415 = and i32 %414, 1281
  %416 = icmp ne i32 %415, 1281
  %417 = or i1 %412, %416
  br i1 %417, label %435, label %418, !prof !5

418:
  %419 = icmp sgt i32 %408, 0
  br i1 %419, label %420, label %437

420:
  %421 = getelementptr inbounds i8, ptr %386, i64 32
  %422 = load ptr, ptr %421, align 8
  %423 = getelementptr inbounds i8, ptr %44, i64 80
  %424 = load ptr, ptr %423, align 8
  br label %428

425:
  %426 = add nuw nsw i64 %429, 1
  %427 = icmp eq i64 %426, %409
  br i1 %427, label %437, label %428

428:
  %429 = phi i64 [ 0, %420 ], [ %426, %425 ]
  %430 = getelementptr inbounds i64, ptr %422, i64 %429
  %431 = load i64, ptr %430, align 8
  %432 = getelementptr inbounds i64, ptr %424, i64 %429
  %433 = load i64, ptr %432, align 8
  %434 = icmp eq i64 %431, %433
  br i1 %434, label %425, label %435, !prof !6

435:
  %436 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 2, ptr noundef nonnull %3) #10
  br label %1023

437:
  %438 = getelementptr inbounds i8, ptr %386, i64 16
  %439 = load ptr, ptr %438, align 8
  %440 = getelementptr inbounds i8, ptr %9, i64 16
  store ptr %439, ptr %440, align 16
  %441 = getelementptr inbounds i8, ptr %11, i64 48
  %442 = load ptr, ptr %441, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %442) #8
  %443 = getelementptr inbounds i8, ptr %11, i64 72
  %444 = load i64, ptr %443, align 8
  %445 = icmp eq i64 %444, 0
  br i1 %445, label %464, label %446

446:
  %447 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 192), align 8
  %448 = getelementptr inbounds i8, ptr %447, i64 8
  %449 = load ptr, ptr %448, align 8
  %450 = icmp eq ptr %449, null
  br i1 %450, label %464, label %451

451:
  %452 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %453 = call i64 %452() #8
  %454 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 184), align 8
  %455 = and i64 %454, %453
  %456 = load i64, ptr %447, align 8
  %457 = icmp eq i64 %455, %456
  br i1 %457, label %458, label %464, !prof !10

458:
  store ptr null, ptr %448, align 8
  %459 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %460 = getelementptr inbounds i8, ptr %447, i64 16
  %461 = load ptr, ptr %460, align 8
  %462 = getelementptr inbounds i8, ptr %447, i64 24
  %463 = load ptr, ptr %462, align 8
  call void %459(ptr noundef nonnull %449, ptr noundef %461, ptr noundef %463) #8
  br label %1023

464:
  %465 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %465(ptr noundef nonnull %386) #8
  br label %1023

466:
  %467 = icmp eq ptr %37, %28
  %468 = icmp eq ptr %37, %29
  %469 = select i1 %467, i1 true, i1 %468
  br i1 %469, label %470, label %472

470:
  %471 = getelementptr inbounds i8, ptr %35, i64 16
  br label %510

472:
  %473 = icmp eq ptr %37, %30
  br i1 %473, label %474, label %505, !prof !6

474:
  %475 = getelementptr inbounds i8, ptr %35, i64 56
  %476 = load ptr, ptr %475, align 8
  %477 = icmp ne ptr %476, %31
  %478 = getelementptr inbounds i8, ptr %35, i64 24
  %479 = load i32, ptr %478, align 8
  %480 = sext i32 %479 to i64
  %481 = icmp ne i64 %33, %480
  %482 = or i1 %477, %481
  %483 = getelementptr inbounds i8, ptr %35, i64 64
  %484 = load i32, ptr %483, align 8
  %485 = and i32 %484, 257
  %486 = icmp ne i32 %485, 257
  %487 = or i1 %482, %486
  br i1 %487, label %505, label %488, !prof !5

488:
  %489 = icmp sgt i64 %33, 0
  br i1 %489, label %490, label %507

490:
  %491 = getelementptr inbounds i8, ptr %35, i64 32
  %492 = load ptr, ptr %491, align 8
  %493 = getelementptr inbounds i8, ptr %32, i64 16
  %494 = load ptr, ptr %493, align 8
  br label %498

495:
  %496 = add nuw nsw i64 %499, 1
  %497 = icmp eq i64 %496, %33
  br i1 %497, label %507, label %498

498:
  %499 = phi i64 [ 0, %490 ], [ %496, %495 ]
  %500 = getelementptr inbounds i64, ptr %492, i64 %499
  %501 = load i64, ptr %500, align 8
  %502 = getelementptr inbounds i64, ptr %494, i64 %499
  %503 = load i64, ptr %502, align 8
  %504 = icmp eq i64 %501, %503
  br i1 %504, label %495, label %617, !prof !6

505:
  %506 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 3, ptr noundef %3) #10
  br label %1023

507:
  %508 = getelementptr inbounds i8, ptr %35, i64 16
  %509 = load ptr, ptr %508, align 8
  br label %510

510:
  %511 = phi ptr [ %509, %507 ], [ %471, %470 ]
  store ptr %511, ptr %9, align 16
  %512 = getelementptr inbounds i8, ptr %32, i64 32
  %513 = load i64, ptr %512, align 8
  %514 = icmp eq i64 %513, 0
  %515 = getelementptr inbounds i8, ptr %1, i64 8
  %516 = load ptr, ptr %515, align 8
  %517 = getelementptr inbounds i8, ptr %516, i64 8
  %518 = load ptr, ptr %517, align 8
  br i1 %514, label %519, label %523

519:
  %520 = icmp eq ptr %518, %28
  %521 = icmp eq ptr %518, %29
  %522 = select i1 %520, i1 true, i1 %521
  br i1 %522, label %559, label %523

523:
  %524 = icmp eq ptr %518, %30
  br i1 %524, label %525, label %505, !prof !6

525:
  %526 = getelementptr inbounds i8, ptr %516, i64 56
  %527 = load ptr, ptr %526, align 8
  %528 = icmp ne ptr %527, %31
  %529 = getelementptr inbounds i8, ptr %516, i64 24
  %530 = load i32, ptr %529, align 8
  %531 = sext i32 %530 to i64
  %532 = icmp ne i64 %513, %531
  %533 = or i1 %528, %532
  %534 = getelementptr inbounds i8, ptr %516, i64 64
  %535 = load i32, ptr %534, align 8
  %536 = and i32 %535, 257
  %537 = icmp ne i32 %536, 257
  %538 = or i1 %533, %537
  br i1 %538, label %505, label %539, !prof !5

539:
  %540 = icmp sgt i64 %513, 0
  br i1 %540, label %541, label %556

541:
  %542 = getelementptr inbounds i8, ptr %516, i64 32
  %543 = load ptr, ptr %542, align 8
  %544 = getelementptr inbounds i8, ptr %32, i64 48
  %545 = load ptr, ptr %544, align 8
  br label %546

546:
  %547 = phi i64 [ 0, %541 ], [ %554, %553 ]
  %548 = getelementptr inbounds i64, ptr %543, i64 %547
  %549 = load i64, ptr %548, align 8
  %550 = getelementptr inbounds i64, ptr %545, i64 %547
  %551 = load i64, ptr %550, align 8
  %552 = icmp eq i64 %549, %551
  br i1 %552, label %553, label %617, !prof !6

553:
  %554 = add nuw nsw i64 %547, 1
  %555 = icmp eq i64 %554, %513
  br i1 %555, label %556, label %546

556:
  %557 = getelementptr inbounds i8, ptr %516, i64 16
  %558 = load ptr, ptr %557, align 8
  br label %561

559:
  %560 = getelementptr inbounds i8, ptr %516, i64 16
  br label %561

561:
  %562 = phi ptr [ %560, %559 ], [ %558, %556 ]
  %563 = getelementptr inbounds i8, ptr %9, i64 8
  store ptr %562, ptr %563, align 8
  %564 = getelementptr inbounds i8, ptr %32, i64 64
  %565 = load i64, ptr %564, align 8
  %566 = icmp eq i64 %565, 0
  %567 = getelementptr inbounds i8, ptr %1, i64 16
  %568 = load ptr, ptr %567, align 8
  %569 = getelementptr inbounds i8, ptr %568, i64 8
  %570 = load ptr, ptr %569, align 8
  br i1 %566, label %571, label %575

571:
  %572 = icmp eq ptr %570, %28
  %573 = icmp eq ptr %570, %29
  %574 = select i1 %572, i1 true, i1 %573
  br i1 %574, label %611, label %575

575:
  %576 = icmp eq ptr %570, %30
  br i1 %576, label %577, label %505, !prof !6

577:
  %578 = getelementptr inbounds i8, ptr %568, i64 56
  %579 = load ptr, ptr %578, align 8
  %580 = icmp ne ptr %579, %31
  %581 = getelementptr inbounds i8, ptr %568, i64 24
  %582 = load i32, ptr %581, align 8
  %583 = sext i32 %582 to i64
  %584 = icmp ne i64 %565, %583
  %585 = or i1 %580, %584
  %586 = getelementptr inbounds i8, ptr %568, i64 64
  %587 = load i32, ptr %586, align 8
  %588 = and i32 %587, 257
  %589 = icmp ne i32 %588, 257
  %590 = or i1 %585, %589
  br i1 %590, label %505, label %591, !prof !5

591:
  %592 = icmp sgt i64 %565, 0
  br i1 %592, label %593, label %608

593:
  %594 = getelementptr inbounds i8, ptr %568, i64 32
  %595 = load ptr, ptr %594, align 8
  %596 = getelementptr inbounds i8, ptr %32, i64 80
  %597 = load ptr, ptr %596, align 8
  br label %598

598:
  %599 = phi i64 [ 0, %593 ], [ %606, %605 ]
  %600 = getelementptr inbounds i64, ptr %595, i64 %599
  %601 = load i64, ptr %600, align 8
  %602 = getelementptr inbounds i64, ptr %597, i64 %599
  %603 = load i64, ptr %602, align 8
  %604 = icmp eq i64 %601, %603
  br i1 %604, label %605, label %617, !prof !6

605:
  %606 = add nuw nsw i64 %599, 1
  %607 = icmp eq i64 %606, %565
  br i1 %607, label %608, label %598

608:
  %609 = getelementptr inbounds i8, ptr %568, i64 16
  %610 = load ptr, ptr %609, align 8
  br label %613

611:
  %612 = getelementptr inbounds i8, ptr %568, i64 16
  br label %613

613:
  %614 = phi ptr [ %612, %611 ], [ %610, %608 ]
  %615 = getelementptr inbounds i8, ptr %9, i64 16
  store ptr %614, ptr %615, align 16
  %616 = icmp eq ptr %3, null
  br i1 %616, label %619, label %662

617:
  %618 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 3, ptr noundef %3) #10
  br label %1023

619:
  %620 = getelementptr inbounds i8, ptr %32, i64 96
  %621 = getelementptr inbounds i8, ptr %9, i64 24
  %622 = load i64, ptr %620, align 8
  %623 = icmp eq i64 %622, 0
  br i1 %623, label %648, label %624

624:
  %625 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  tail call void %625(ptr noundef %31) #8
  %626 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %627 = load ptr, ptr @python, align 8
  %628 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %629 = load i64, ptr %620, align 8
  %630 = trunc i64 %629 to i32
  %631 = getelementptr inbounds i8, ptr %32, i64 112
  %632 = load ptr, ptr %631, align 8
  %633 = tail call ptr %626(ptr noundef %627, ptr noundef %628, i32 noundef %630, ptr noundef %632, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %634 = icmp eq ptr %633, null
  br i1 %634, label %1023, label %635, !prof !5

635:
  %636 = getelementptr inbounds i8, ptr %633, i64 16
  %637 = load ptr, ptr %636, align 8
  store ptr %637, ptr %621, align 8
  %638 = load ptr, ptr %11, align 8
  %639 = getelementptr inbounds i8, ptr %11, i64 48
  %640 = load ptr, ptr %639, align 8
  call void %638(ptr noundef nonnull %9, ptr noundef %640) #8
  %641 = getelementptr inbounds i8, ptr %11, i64 72
  %642 = load i64, ptr %641, align 8
  %643 = icmp eq i64 %642, 0
  br i1 %643, label %1023, label %644, !prof !6

644:
  %645 = call zeroext i1 @raise_pending() #10
  br i1 %645, label %646, label %1023

646:
  %647 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %647(ptr noundef nonnull %633) #8
  br label %1023

648:
  store ptr %6, ptr %621, align 8
  %649 = getelementptr inbounds i8, ptr %11, i64 48
  %650 = load ptr, ptr %649, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %650) #8
  %651 = getelementptr inbounds i8, ptr %11, i64 72
  %652 = load i64, ptr %651, align 8
  %653 = icmp eq i64 %652, 0
  br i1 %653, label %656, label %654

654:
  %655 = call zeroext i1 @raise_pending() #10
  br i1 %655, label %660, label %656

656:
  %657 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %658 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %659 = call ptr %657(ptr noundef nonnull %6, ptr noundef %658, ptr noundef null) #8
  br label %660

660:
  %661 = phi ptr [ %659, %656 ], [ null, %654 ]
  br label %1023

662:
  %663 = getelementptr inbounds i8, ptr %1, i64 24
  %664 = load ptr, ptr %663, align 8
  %665 = getelementptr inbounds i8, ptr %32, i64 96
  %666 = getelementptr inbounds i8, ptr %3, i64 16
  %667 = load i64, ptr %666, align 8
  %668 = icmp eq i64 %667, 1
  br i1 %668, label %669, label %675, !prof !8

669:
  %670 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 176), align 8
  %671 = getelementptr inbounds i8, ptr %3, i64 %670
  %672 = load ptr, ptr %671, align 8
  %673 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 40), align 8
  %674 = icmp eq ptr %672, %673
  br i1 %674, label %677, label %675, !prof !9

675:
  %676 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 3, ptr noundef nonnull %3) #10
  br label %1023

677:
  %678 = getelementptr inbounds i8, ptr %664, i64 8
  %679 = load ptr, ptr %678, align 8
  %680 = icmp eq ptr %679, %30
  br i1 %680, label %681, label %713, !prof !6

681:
  %682 = getelementptr inbounds i8, ptr %664, i64 56
  %683 = load ptr, ptr %682, align 8
  %684 = icmp ne ptr %683, %31
  %685 = getelementptr inbounds i8, ptr %664, i64 24
  %686 = load i32, ptr %685, align 8
  %687 = sext i32 %686 to i64
  %688 = load i64, ptr %665, align 8
  %689 = icmp ne i64 %688, %687
  %690 = or i1 %684, %689
  %691 = getelementptr inbounds i8, ptr %664, i64 64
  %692 = load i32, ptr %691, align 8
  %693 = and i32 %692, 1281
  %694 = icmp ne i32 %693, 1281
  %695 = or i1 %690, %694
  br i1 %695, label %713, label %696, !prof !5

696:
  %697 = icmp sgt i32 %686, 0
  br i1 %697, label %698, label %715

698:
  %699 = getelementptr inbounds i8, ptr %664, i64 32
  %700 = load ptr, ptr %699, align 8
  %701 = getelementptr inbounds i8, ptr %32, i64 112
  %702 = load ptr, ptr %701, align 8
  br label %706

703:
  %704 = add nuw nsw i64 %707, 1
  %705 = icmp eq i64 %704, %687
  br i1 %705, label %715, label %706

706:
  %707 = phi i64 [ 0, %698 ], [ %704, %703 ]
  %708 = getelementptr inbounds i64, ptr %700, i64 %707
  %709 = load i64, ptr %708, align 8
  %710 = getelementptr inbounds i64, ptr %702, i64 %707
  %711 = load i64, ptr %710, align 8
  %712 = icmp eq i64 %709, %711
  br i1 %712, label %703, label %713, !prof !6

713:
  %714 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef 3, ptr noundef nonnull %3) #10
  br label %1023

715:
  %716 = getelementptr inbounds i8, ptr %664, i64 16
  %717 = load ptr, ptr %716, align 8
  %718 = getelementptr inbounds i8, ptr %9, i64 24
  store ptr %717, ptr %718, align 8
  %719 = getelementptr inbounds i8, ptr %11, i64 48
  %720 = load ptr, ptr %719, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %720) #8
  %721 = getelementptr inbounds i8, ptr %11, i64 72
  %722 = load i64, ptr %721, align 8
  %723 = icmp eq i64 %722, 0
  br i1 %723, label %742, label %724

724:
  %725 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 192), align 8
  %726 = getelementptr inbounds i8, ptr %725, i64 8
  %727 = load ptr, ptr %726, align 8
  %728 = icmp eq ptr %727, null
  br i1 %728, label %742, label %729

729:
  %730 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %731 = call i64 %730() #8
  %732 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 184), align 8
  %733 = and i64 %732, %731
  %734 = load i64, ptr %725, align 8
  %735 = icmp eq i64 %733, %734
  br i1 %735, label %736, label %742, !prof !10

736:
  store ptr null, ptr %726, align 8
  %737 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %738 = getelementptr inbounds i8, ptr %725, i64 16
  %739 = load ptr, ptr %738, align 8
  %740 = getelementptr inbounds i8, ptr %725, i64 24
  %741 = load ptr, ptr %740, align 8
  call void %737(ptr noundef nonnull %727, ptr noundef %739, ptr noundef %741) #8
  br label %1023

742:
  %743 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %743(ptr noundef nonnull %664) #8
  br label %1023

744:
  %745 = add nsw i64 %14, %12
  %746 = icmp sgt i64 %745, 32
  br i1 %746, label %756, label %747, !prof !5

747:
  %748 = icmp eq i64 %12, 0
  br i1 %748, label %818, label %749

749:
  %750 = getelementptr inbounds i8, ptr %11, i64 56
  %751 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %752 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %753 = load ptr, ptr @python, align 8
  %754 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %755 = load ptr, ptr %750, align 8
  br label %758

756:
  %757 = tail call fastcc ptr @call_row_of_many(ptr noundef nonnull %0, ptr noundef %1, i64 noundef %12, ptr noundef %3) #10
  br label %1023

758:
  %759 = phi i64 [ 0, %749 ], [ %814, %811 ]
  %760 = getelementptr inbounds %struct.Slot, ptr %755, i64 %759
  %761 = load i64, ptr %760, align 8
  %762 = icmp eq i64 %761, 0
  %763 = getelementptr inbounds ptr, ptr %1, i64 %759
  %764 = load ptr, ptr %763, align 8
  %765 = getelementptr inbounds i8, ptr %764, i64 8
  %766 = load ptr, ptr %765, align 8
  br i1 %762, label %767, label %773

767:
  %768 = icmp eq ptr %766, %751
  %769 = icmp eq ptr %766, %752
  %770 = select i1 %768, i1 true, i1 %769
  br i1 %770, label %771, label %773

771:
  %772 = getelementptr inbounds i8, ptr %764, i64 16
  br label %811

773:
  %774 = icmp eq ptr %766, %753
  br i1 %774, label %775, label %806, !prof !6

775:
  %776 = getelementptr inbounds i8, ptr %764, i64 56
  %777 = load ptr, ptr %776, align 8
  %778 = icmp ne ptr %777, %754
  %779 = getelementptr inbounds i8, ptr %764, i64 24
  %780 = load i32, ptr %779, align 8
  %781 = sext i32 %780 to i64
  %782 = icmp ne i64 %761, %781
  %783 = or i1 %778, %782
  %784 = getelementptr inbounds i8, ptr %764, i64 64
  %785 = load i32, ptr %784, align 8
  %786 = and i32 %785, 257
  %787 = icmp ne i32 %786, 257
  %788 = or i1 %783, %787
  br i1 %788, label %806, label %789, !prof !5

789:
  %790 = icmp sgt i64 %761, 0
  br i1 %790, label %791, label %808

791:
  %792 = getelementptr inbounds i8, ptr %764, i64 32
  %793 = load ptr, ptr %792, align 8
  %794 = getelementptr inbounds i8, ptr %760, i64 16
  %795 = load ptr, ptr %794, align 8
  br label %799

796:
  %797 = add nuw nsw i64 %800, 1
  %798 = icmp eq i64 %797, %761
  br i1 %798, label %808, label %799

799:
  %800 = phi i64 [ 0, %791 ], [ %797, %796 ]
  %801 = getelementptr inbounds i64, ptr %793, i64 %800
  %802 = load i64, ptr %801, align 8
  %803 = getelementptr inbounds i64, ptr %795, i64 %800
  %804 = load i64, ptr %803, align 8
  %805 = icmp eq i64 %802, %804
  br i1 %805, label %796, label %816, !prof !6

806:
  %807 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %12, ptr noundef %3) #10
  br label %1023

808:
  %809 = getelementptr inbounds i8, ptr %764, i64 16
  %810 = load ptr, ptr %809, align 8
  br label %811

811:
  %812 = phi ptr [ %810, %808 ], [ %772, %771 ]
  %813 = getelementptr inbounds ptr, ptr %9, i64 %759
  store ptr %812, ptr %813, align 8
  %814 = add nuw nsw i64 %759, 1
  %815 = icmp eq i64 %814, %12
  br i1 %815, label %818, label %758

816:
  %817 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %12, ptr noundef %3) #10
  br label %1023

818:
  %819 = icmp eq ptr %3, null
  br i1 %819, label %820, label %869

820:
  br i1 %24, label %821, label %867

821:
  %822 = getelementptr inbounds i8, ptr %11, i64 56
  %823 = load ptr, ptr %822, align 8
  %824 = getelementptr inbounds %struct.Slot, ptr %823, i64 %12
  %825 = getelementptr inbounds ptr, ptr %9, i64 %12
  %826 = load i64, ptr %824, align 8
  %827 = icmp eq i64 %826, 0
  br i1 %827, label %853, label %828

828:
  %829 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  %830 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  tail call void %829(ptr noundef %830) #8
  %831 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %832 = load ptr, ptr @python, align 8
  %833 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %834 = load i64, ptr %824, align 8
  %835 = trunc i64 %834 to i32
  %836 = getelementptr inbounds i8, ptr %824, i64 16
  %837 = load ptr, ptr %836, align 8
  %838 = tail call ptr %831(ptr noundef %832, ptr noundef %833, i32 noundef %835, ptr noundef %837, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %839 = icmp eq ptr %838, null
  br i1 %839, label %1023, label %840, !prof !5

840:
  %841 = getelementptr inbounds i8, ptr %838, i64 16
  %842 = load ptr, ptr %841, align 8
  store ptr %842, ptr %825, align 8
  %843 = load ptr, ptr %11, align 8
  %844 = getelementptr inbounds i8, ptr %11, i64 48
  %845 = load ptr, ptr %844, align 8
  call void %843(ptr noundef nonnull %9, ptr noundef %845) #8
  %846 = getelementptr inbounds i8, ptr %11, i64 72
  %847 = load i64, ptr %846, align 8
  %848 = icmp eq i64 %847, 0
  br i1 %848, label %1023, label %849, !prof !6

849:
  %850 = call zeroext i1 @raise_pending() #10
  br i1 %850, label %851, label %1023

851:
  %852 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %852(ptr noundef nonnull %838) #8
  br label %1023

853:
  store ptr %5, ptr %825, align 8
  %854 = getelementptr inbounds i8, ptr %11, i64 48
  %855 = load ptr, ptr %854, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %855) #8
  %856 = getelementptr inbounds i8, ptr %11, i64 72
  %857 = load i64, ptr %856, align 8
  %858 = icmp eq i64 %857, 0
  br i1 %858, label %861, label %859

859:
  %860 = call zeroext i1 @raise_pending() #10
  br i1 %860, label %865, label %861

861:
  %862 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %863 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %864 = call ptr %862(ptr noundef nonnull %5, ptr noundef %863, ptr noundef null) #8
  br label %865

865:
  %866 = phi ptr [ %864, %861 ], [ null, %859 ]
  br label %1023

867:
  %868 = call fastcc ptr @make_results(ptr noundef %11, ptr noundef nonnull %9) #10
  br label %1023

869:
  %870 = getelementptr inbounds ptr, ptr %1, i64 %12
  %871 = load ptr, ptr %870, align 8
  %872 = getelementptr inbounds i8, ptr %11, i64 56
  %873 = load ptr, ptr %872, align 8
  %874 = getelementptr inbounds %struct.Slot, ptr %873, i64 %12
  %875 = getelementptr inbounds i8, ptr %3, i64 16
  %876 = load i64, ptr %875, align 8
  %877 = icmp eq i64 %876, 1
  br i1 %877, label %878, label %884, !prof !8

878:
  %879 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 176), align 8
  %880 = getelementptr inbounds i8, ptr %3, i64 %879
  %881 = load ptr, ptr %880, align 8
  %882 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 40), align 8
  %883 = icmp eq ptr %881, %882
  br i1 %883, label %886, label %884, !prof !9

884:
  %885 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %12, ptr noundef nonnull %3) #10
  br label %1023

886:
  %887 = getelementptr inbounds i8, ptr %871, i64 8
  %888 = load ptr, ptr %887, align 8
  br i1 %24, label %889, label %931

889:
  %890 = load ptr, ptr @python, align 8
  %891 = icmp eq ptr %888, %890
  br i1 %891, label %892, label %925, !prof !6

892:
  %893 = getelementptr inbounds i8, ptr %871, i64 56
  %894 = load ptr, ptr %893, align 8
  %895 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %896 = icmp ne ptr %894, %895
  %897 = getelementptr inbounds i8, ptr %871, i64 24
  %898 = load i32, ptr %897, align 8
  %899 = sext i32 %898 to i64
  %900 = load i64, ptr %874, align 8
  %901 = icmp ne i64 %900, %899
  %902 = or i1 %896, %901
  %903 = getelementptr inbounds i8, ptr %871, i64 64
  %904 = load i32, ptr %903, align 8
  %905 = and i32 %904, 1281
  %906 = icmp ne i32 %905, 1281
  %907 = or i1 %902, %906
  br i1 %907, label %925, label %908, !prof !5

908:
  %909 = icmp sgt i32 %898, 0
  br i1 %909, label %910, label %927

910:
  %911 = getelementptr inbounds i8, ptr %871, i64 32
  %912 = load ptr, ptr %911, align 8
  %913 = getelementptr inbounds i8, ptr %874, i64 16
  %914 = load ptr, ptr %913, align 8
  br label %918

915:
  %916 = add nuw nsw i64 %919, 1
  %917 = icmp eq i64 %916, %899
  br i1 %917, label %927, label %918

918:
  %919 = phi i64 [ 0, %910 ], [ %916, %915 ]
  %920 = getelementptr inbounds i64, ptr %912, i64 %919
  %921 = load i64, ptr %920, align 8
  %922 = getelementptr inbounds i64, ptr %914, i64 %919
  %923 = load i64, ptr %922, align 8
  %924 = icmp eq i64 %921, %923
  br i1 %924, label %915, label %925, !prof !6

925:
  %926 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %12, ptr noundef nonnull %3) #10
  br label %1023

927:
  %928 = getelementptr inbounds i8, ptr %871, i64 16
  %929 = load ptr, ptr %928, align 8
  %930 = getelementptr inbounds ptr, ptr %9, i64 %12
  store ptr %929, ptr %930, align 8
  br label %997

931:
  %932 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 16), align 8
  %933 = icmp eq ptr %888, %932
  br i1 %933, label %934, label %945, !prof !8

934:
  %935 = getelementptr inbounds i8, ptr %871, i64 16
  %936 = load i64, ptr %935, align 8
  %937 = icmp eq i64 %936, %14
  br i1 %937, label %938, label %945, !prof !9

938:
  %939 = getelementptr ptr, ptr %9, i64 %12
  %940 = icmp sgt i64 %14, 0
  br i1 %940, label %941, label %997

941:
  %942 = getelementptr inbounds i8, ptr %871, i64 %879
  %943 = load ptr, ptr @python, align 8
  %944 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  br label %947

945:
  %946 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %12, ptr noundef nonnull %3) #10
  br label %1023

947:
  %948 = phi i64 [ 0, %941 ], [ %993, %989 ]
  %949 = getelementptr inbounds ptr, ptr %942, i64 %948
  %950 = load ptr, ptr %949, align 8
  %951 = getelementptr inbounds %struct.Slot, ptr %874, i64 %948
  %952 = getelementptr inbounds i8, ptr %950, i64 8
  %953 = load ptr, ptr %952, align 8
  %954 = icmp eq ptr %953, %943
  br i1 %954, label %955, label %987, !prof !6

955:
  %956 = getelementptr inbounds i8, ptr %950, i64 56
  %957 = load ptr, ptr %956, align 8
  %958 = icmp ne ptr %957, %944
  %959 = getelementptr inbounds i8, ptr %950, i64 24
  %960 = load i32, ptr %959, align 8
  %961 = sext i32 %960 to i64
  %962 = load i64, ptr %951, align 8
  %963 = icmp ne i64 %962, %961
  %964 = or i1 %958, %963
  %965 = getelementptr inbounds i8, ptr %950, i64 64
  %966 = load i32, ptr %965, align 8
  %967 = and i32 %966, 1281
  %968 = icmp ne i32 %967, 1281
  %969 = or i1 %964, %968
  br i1 %969, label %987, label %970, !prof !5

970:
  %971 = icmp sgt i32 %960, 0
  br i1 %971, label %972, label %989

972:
  %973 = getelementptr inbounds i8, ptr %950, i64 32
  %974 = load ptr, ptr %973, align 8
  %975 = getelementptr inbounds i8, ptr %951, i64 16
  %976 = load ptr, ptr %975, align 8
  br label %980

977:
  %978 = add nuw nsw i64 %981, 1
  %979 = icmp eq i64 %978, %961
  br i1 %979, label %989, label %980

980:
  %981 = phi i64 [ 0, %972 ], [ %978, %977 ]
  %982 = getelementptr inbounds i64, ptr %974, i64 %981
  %983 = load i64, ptr %982, align 8
  %984 = getelementptr inbounds i64, ptr %976, i64 %981
  %985 = load i64, ptr %984, align 8
  %986 = icmp eq i64 %983, %985
  br i1 %986, label %977, label %995, !prof !6

987:
  %988 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %12, ptr noundef nonnull %3) #10
  br label %1023

989:
  %990 = getelementptr inbounds i8, ptr %950, i64 16
  %991 = load ptr, ptr %990, align 8
  %992 = getelementptr ptr, ptr %939, i64 %948
  store ptr %991, ptr %992, align 8
  %993 = add nuw nsw i64 %948, 1
  %994 = icmp eq i64 %993, %14
  br i1 %994, label %997, label %947

995:
  %996 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %12, ptr noundef nonnull %3) #10
  br label %1023

997:
  %998 = getelementptr inbounds i8, ptr %11, i64 48
  %999 = load ptr, ptr %998, align 8
  call void %15(ptr noundef nonnull %9, ptr noundef %999) #8
  %1000 = getelementptr inbounds i8, ptr %11, i64 72
  %1001 = load i64, ptr %1000, align 8
  %1002 = icmp eq i64 %1001, 0
  br i1 %1002, label %1021, label %1003

1003:
  %1004 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 192), align 8
  %1005 = getelementptr inbounds i8, ptr %1004, i64 8
  %1006 = load ptr, ptr %1005, align 8
  %1007 = icmp eq ptr %1006, null
  br i1 %1007, label %1021, label %1008

1008:
  %1009 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %1010 = call i64 %1009() #8
  %1011 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 184), align 8
  %1012 = and i64 %1011, %1010
  %1013 = load i64, ptr %1004, align 8
  %1014 = icmp eq i64 %1012, %1013
  br i1 %1014, label %1015, label %1021, !prof !10

1015:
  store ptr null, ptr %1005, align 8
  %1016 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %1017 = getelementptr inbounds i8, ptr %1004, i64 16
  %1018 = load ptr, ptr %1017, align 8
  %1019 = getelementptr inbounds i8, ptr %1004, i64 24
  %1020 = load ptr, ptr %1019, align 8
  call void %1016(ptr noundef nonnull %1006, ptr noundef %1018, ptr noundef %1020) #8
  br label %1023

1021:
  %1022 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %1022(ptr noundef %871) #8
  br label %1023

1023:
  %1024 = phi ptr [ %22, %21 ], [ %757, %756 ], [ %114, %113 ], [ %172, %171 ], [ %210, %209 ], [ %160, %238 ], [ null, %232 ], [ %106, %105 ], [ %157, %156 ], [ null, %142 ], [ null, %120 ], [ %129, %140 ], [ %129, %131 ], [ %340, %339 ], [ %398, %397 ], [ %436, %435 ], [ %386, %464 ], [ null, %458 ], [ %280, %279 ], [ %383, %382 ], [ null, %368 ], [ null, %346 ], [ %355, %366 ], [ %355, %357 ], [ %618, %617 ], [ %676, %675 ], [ %714, %713 ], [ %664, %742 ], [ null, %736 ], [ %506, %505 ], [ %661, %660 ], [ null, %646 ], [ null, %624 ], [ %633, %644 ], [ %633, %635 ], [ %817, %816 ], [ %868, %867 ], [ %885, %884 ], [ %926, %925 ], [ %871, %1021 ], [ %946, %945 ], [ %996, %995 ], [ null, %1015 ], [ %807, %806 ], [ %866, %865 ], [ null, %851 ], [ null, %828 ], [ %838, %849 ], [ %838, %840 ], [ %988, %987 ]
  ret ptr %1024
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
  br label %238

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
  br label %236

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
  br label %236

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
  %74 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 176), align 8
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
  br label %236

153:
  %154 = getelementptr inbounds i8, ptr %8, i64 8
  %155 = load ptr, ptr %154, align 8
  call void %155(ptr noundef nonnull %23, ptr noundef nonnull %6, ptr noundef nonnull %26, ptr noundef null) #8
  %156 = load i64, ptr %13, align 8
  %157 = icmp slt i64 %156, 1
  br i1 %157, label %158, label %160

158:
  %159 = call fastcc ptr @call_from_python(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %236

160:
  %161 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %161(ptr noundef %69) #8
  br label %236

162:
  %163 = alloca ptr, i64 %12, align 16
  %164 = icmp sgt i64 %12, 0
  br i1 %164, label %165, label %216

165:
  %166 = getelementptr inbounds i8, ptr %8, i64 56
  %167 = getelementptr ptr, ptr %23, i64 %2
  br label %168

168:
  %169 = phi i64 [ 0, %165 ], [ %214, %210 ]
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
  %188 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  call void %187(ptr noundef %188) #8
  %189 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %190 = load ptr, ptr @python, align 8
  %191 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %192 = load i64, ptr %172, align 8
  %193 = trunc i64 %192 to i32
  %194 = add nsw i32 %193, 1
  %195 = call ptr %189(ptr noundef %190, ptr noundef %191, i32 noundef %194, ptr noundef nonnull %5, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %196 = getelementptr inbounds ptr, ptr %163, i64 %169
  store ptr %195, ptr %196, align 8
  %197 = icmp eq ptr %195, null
  br i1 %197, label %198, label %210

198:
  %199 = icmp eq i64 %169, 0
  br i1 %199, label %236, label %200

200:
  %201 = phi i64 [ %208, %207 ], [ 0, %198 ]
  %202 = getelementptr inbounds ptr, ptr %163, i64 %201
  %203 = load ptr, ptr %202, align 8
  %204 = icmp eq ptr %203, null
  br i1 %204, label %207, label %205

205:
  %206 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %206(ptr noundef nonnull %203) #8
  br label %207

207:
  %208 = add nuw nsw i64 %201, 1
  %209 = icmp eq i64 %208, %169
  br i1 %209, label %236, label %200

210:
  %211 = getelementptr inbounds i8, ptr %195, i64 16
  %212 = load ptr, ptr %211, align 8
  %213 = getelementptr ptr, ptr %167, i64 %169
  store ptr %212, ptr %213, align 8
  %214 = add nuw nsw i64 %169, 1
  %215 = icmp eq i64 %214, %12
  br i1 %215, label %216, label %168

216:
  %217 = getelementptr inbounds i8, ptr %8, i64 8
  %218 = load ptr, ptr %217, align 8
  call void %218(ptr noundef nonnull %23, ptr noundef nonnull %6, ptr noundef nonnull %26, ptr noundef null) #8
  %219 = load i64, ptr %13, align 8
  %220 = icmp slt i64 %219, 1
  br i1 %220, label %221, label %234

221:
  br i1 %164, label %222, label %232

222:
  %223 = phi i64 [ %230, %229 ], [ 0, %221 ]
  %224 = getelementptr inbounds ptr, ptr %163, i64 %223
  %225 = load ptr, ptr %224, align 8
  %226 = icmp eq ptr %225, null
  br i1 %226, label %229, label %227

227:
  %228 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %228(ptr noundef nonnull %225) #8
  br label %229

229:
  %230 = add nuw nsw i64 %223, 1
  %231 = icmp eq i64 %230, %12
  br i1 %231, label %232, label %222

232:
  %233 = call fastcc ptr @call_from_python(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef null) #10
  br label %236

234:
  %235 = call fastcc ptr @collect(ptr noundef nonnull %163, i64 noundef %12) #10
  br label %236

236:
  %237 = phi ptr [ %64, %63 ], [ %233, %232 ], [ %235, %234 ], [ %159, %158 ], [ %69, %160 ], [ %152, %151 ], [ %56, %55 ], [ null, %198 ], [ null, %207 ]
  call void @llvm.stackrestore.p0(ptr %22)
  br label %238

238:
  %239 = phi ptr [ %19, %18 ], [ %237, %236 ]
  ret ptr %239
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
  br i1 %12, label %13, label %80

13:
  %14 = getelementptr inbounds i8, ptr %7, i64 56
  %15 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %16 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %17 = load ptr, ptr @python, align 8
  %18 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %19 = load ptr, ptr %14, align 8
  br label %20

20:
  %21 = phi i64 [ 0, %13 ], [ %76, %73 ]
  %22 = getelementptr inbounds %struct.Slot, ptr %19, i64 %21
  %23 = load i64, ptr %22, align 8
  %24 = icmp eq i64 %23, 0
  %25 = getelementptr inbounds ptr, ptr %1, i64 %21
  %26 = load ptr, ptr %25, align 8
  %27 = getelementptr inbounds i8, ptr %26, i64 8
  %28 = load ptr, ptr %27, align 8
  br i1 %24, label %29, label %35

29:
  %30 = icmp eq ptr %28, %15
  %31 = icmp eq ptr %28, %16
  %32 = select i1 %30, i1 true, i1 %31
  br i1 %32, label %33, label %35

33:
  %34 = getelementptr inbounds i8, ptr %26, i64 16
  br label %73

35:
  %36 = icmp eq ptr %28, %17
  br i1 %36, label %37, label %68, !prof !6

37:
  %38 = getelementptr inbounds i8, ptr %26, i64 56
  %39 = load ptr, ptr %38, align 8
  %40 = icmp ne ptr %39, %18
  %41 = getelementptr inbounds i8, ptr %26, i64 24
  %42 = load i32, ptr %41, align 8
  %43 = sext i32 %42 to i64
  %44 = icmp ne i64 %23, %43
  %45 = or i1 %40, %44
  %46 = getelementptr inbounds i8, ptr %26, i64 64
  %47 = load i32, ptr %46, align 8
  %48 = and i32 %47, 257
  %49 = icmp ne i32 %48, 257
  %50 = or i1 %45, %49
  br i1 %50, label %68, label %51, !prof !5

51:
  %52 = icmp sgt i64 %23, 0
  br i1 %52, label %53, label %70

53:
  %54 = getelementptr inbounds i8, ptr %26, i64 32
  %55 = load ptr, ptr %54, align 8
  %56 = getelementptr inbounds i8, ptr %22, i64 16
  %57 = load ptr, ptr %56, align 8
  br label %61

58:
  %59 = add nuw nsw i64 %62, 1
  %60 = icmp eq i64 %59, %23
  br i1 %60, label %70, label %61

61:
  %62 = phi i64 [ 0, %53 ], [ %59, %58 ]
  %63 = getelementptr inbounds i64, ptr %55, i64 %62
  %64 = load i64, ptr %63, align 8
  %65 = getelementptr inbounds i64, ptr %57, i64 %62
  %66 = load i64, ptr %65, align 8
  %67 = icmp eq i64 %64, %66
  br i1 %67, label %58, label %78, !prof !6

68:
  %69 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %2, ptr noundef %3) #10
  br label %305

70:
  %71 = getelementptr inbounds i8, ptr %26, i64 16
  %72 = load ptr, ptr %71, align 8
  br label %73

73:
  %74 = phi ptr [ %72, %70 ], [ %34, %33 ]
  %75 = getelementptr inbounds ptr, ptr %11, i64 %21
  store ptr %74, ptr %75, align 8
  %76 = add nuw nsw i64 %21, 1
  %77 = icmp eq i64 %76, %2
  br i1 %77, label %80, label %20

78:
  %79 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3) #10
  br label %305

80:
  %81 = icmp eq ptr %3, null
  br i1 %81, label %82, label %149

82:
  %83 = icmp eq i64 %9, 1
  br i1 %83, label %84, label %147

84:
  %85 = getelementptr inbounds i8, ptr %7, i64 56
  %86 = load ptr, ptr %85, align 8
  %87 = getelementptr inbounds %struct.Slot, ptr %86, i64 %2
  %88 = getelementptr inbounds ptr, ptr %11, i64 %2
  %89 = load i64, ptr %87, align 8
  %90 = icmp eq i64 %89, 0
  br i1 %90, label %116, label %91

91:
  %92 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  %93 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  tail call void %92(ptr noundef %93) #8
  %94 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %95 = load ptr, ptr @python, align 8
  %96 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %97 = load i64, ptr %87, align 8
  %98 = trunc i64 %97 to i32
  %99 = getelementptr inbounds i8, ptr %87, i64 16
  %100 = load ptr, ptr %99, align 8
  %101 = tail call ptr %94(ptr noundef %95, ptr noundef %96, i32 noundef %98, ptr noundef %100, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  %102 = icmp eq ptr %101, null
  br i1 %102, label %305, label %103, !prof !5

103:
  %104 = getelementptr inbounds i8, ptr %101, i64 16
  %105 = load ptr, ptr %104, align 8
  store ptr %105, ptr %88, align 8
  %106 = load ptr, ptr %7, align 8
  %107 = getelementptr inbounds i8, ptr %7, i64 48
  %108 = load ptr, ptr %107, align 8
  call void %106(ptr noundef nonnull %11, ptr noundef %108) #8
  %109 = getelementptr inbounds i8, ptr %7, i64 72
  %110 = load i64, ptr %109, align 8
  %111 = icmp eq i64 %110, 0
  br i1 %111, label %305, label %112, !prof !6

112:
  %113 = call zeroext i1 @raise_pending() #10
  br i1 %113, label %114, label %305

114:
  %115 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %115(ptr noundef nonnull %101) #8
  br label %305

116:
  store ptr %5, ptr %88, align 8
  %117 = load ptr, ptr %7, align 8
  %118 = getelementptr inbounds i8, ptr %7, i64 48
  %119 = load ptr, ptr %118, align 8
  call void %117(ptr noundef nonnull %11, ptr noundef %119) #8
  %120 = getelementptr inbounds i8, ptr %7, i64 72
  %121 = load i64, ptr %120, align 8
  %122 = icmp eq i64 %121, 0
  br i1 %122, label %141, label %123

123:
  %124 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 192), align 8
  %125 = getelementptr inbounds i8, ptr %124, i64 8
  %126 = load ptr, ptr %125, align 8
  %127 = icmp eq ptr %126, null
  br i1 %127, label %141, label %128

128:
  %129 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %130 = call i64 %129() #8
  %131 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 184), align 8
  %132 = and i64 %131, %130
  %133 = load i64, ptr %124, align 8
  %134 = icmp eq i64 %132, %133
  br i1 %134, label %135, label %141

135:
  store ptr null, ptr %125, align 8
  %136 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %137 = getelementptr inbounds i8, ptr %124, i64 16
  %138 = load ptr, ptr %137, align 8
  %139 = getelementptr inbounds i8, ptr %124, i64 24
  %140 = load ptr, ptr %139, align 8
  call void %136(ptr noundef nonnull %126, ptr noundef %138, ptr noundef %140) #8
  br label %145

141:
  %142 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %143 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %144 = call ptr %142(ptr noundef nonnull %5, ptr noundef %143, ptr noundef null) #8
  br label %145

145:
  %146 = phi ptr [ %144, %141 ], [ null, %135 ]
  br label %305

147:
  %148 = call fastcc ptr @make_results(ptr noundef %7, ptr noundef nonnull %11) #10
  br label %305

149:
  %150 = getelementptr inbounds ptr, ptr %1, i64 %2
  %151 = load ptr, ptr %150, align 8
  %152 = getelementptr inbounds i8, ptr %7, i64 56
  %153 = load ptr, ptr %152, align 8
  %154 = getelementptr inbounds %struct.Slot, ptr %153, i64 %2
  %155 = getelementptr inbounds i8, ptr %3, i64 16
  %156 = load i64, ptr %155, align 8
  %157 = icmp eq i64 %156, 1
  br i1 %157, label %158, label %164, !prof !8

158:
  %159 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 176), align 8
  %160 = getelementptr inbounds i8, ptr %3, i64 %159
  %161 = load ptr, ptr %160, align 8
  %162 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 40), align 8
  %163 = icmp eq ptr %161, %162
  br i1 %163, label %166, label %164, !prof !9

164:
  %165 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %305

166:
  %167 = icmp eq i64 %9, 1
  %168 = getelementptr inbounds i8, ptr %151, i64 8
  %169 = load ptr, ptr %168, align 8
  br i1 %167, label %170, label %212

170:
  %171 = load ptr, ptr @python, align 8
  %172 = icmp eq ptr %169, %171
  br i1 %172, label %173, label %206, !prof !6

173:
  %174 = getelementptr inbounds i8, ptr %151, i64 56
  %175 = load ptr, ptr %174, align 8
  %176 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %177 = icmp ne ptr %175, %176
  %178 = getelementptr inbounds i8, ptr %151, i64 24
  %179 = load i32, ptr %178, align 8
  %180 = sext i32 %179 to i64
  %181 = load i64, ptr %154, align 8
  %182 = icmp ne i64 %181, %180
  %183 = or i1 %177, %182
  %184 = getelementptr inbounds i8, ptr %151, i64 64
  %185 = load i32, ptr %184, align 8
  %186 = and i32 %185, 1281
  %187 = icmp ne i32 %186, 1281
  %188 = or i1 %183, %187
  br i1 %188, label %206, label %189, !prof !5

189:
  %190 = icmp sgt i32 %179, 0
  br i1 %190, label %191, label %208

191:
  %192 = getelementptr inbounds i8, ptr %151, i64 32
  %193 = load ptr, ptr %192, align 8
  %194 = getelementptr inbounds i8, ptr %154, i64 16
  %195 = load ptr, ptr %194, align 8
  br label %199

196:
  %197 = add nuw nsw i64 %200, 1
  %198 = icmp eq i64 %197, %180
  br i1 %198, label %208, label %199

199:
  %200 = phi i64 [ 0, %191 ], [ %197, %196 ]
  %201 = getelementptr inbounds i64, ptr %193, i64 %200
  %202 = load i64, ptr %201, align 8
  %203 = getelementptr inbounds i64, ptr %195, i64 %200
  %204 = load i64, ptr %203, align 8
  %205 = icmp eq i64 %202, %204
  br i1 %205, label %196, label %206, !prof !6

206:
  %207 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %305

208:
  %209 = getelementptr inbounds i8, ptr %151, i64 16
  %210 = load ptr, ptr %209, align 8
  %211 = getelementptr inbounds ptr, ptr %11, i64 %2
  store ptr %210, ptr %211, align 8
  br label %278

212:
  %213 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 16), align 8
  %214 = icmp eq ptr %169, %213
  br i1 %214, label %215, label %226, !prof !8

215:
  %216 = getelementptr inbounds i8, ptr %151, i64 16
  %217 = load i64, ptr %216, align 8
  %218 = icmp eq i64 %217, %9
  br i1 %218, label %219, label %226, !prof !9

219:
  %220 = getelementptr ptr, ptr %11, i64 %2
  %221 = icmp sgt i64 %9, 0
  br i1 %221, label %222, label %278

222:
  %223 = getelementptr inbounds i8, ptr %151, i64 %159
  %224 = load ptr, ptr @python, align 8
  %225 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  br label %228

226:
  %227 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef nonnull %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %305

228:
  %229 = phi i64 [ 0, %222 ], [ %274, %270 ]
  %230 = getelementptr inbounds ptr, ptr %223, i64 %229
  %231 = load ptr, ptr %230, align 8
  %232 = getelementptr inbounds %struct.Slot, ptr %154, i64 %229
  %233 = getelementptr inbounds i8, ptr %231, i64 8
  %234 = load ptr, ptr %233, align 8
  %235 = icmp eq ptr %234, %224
  br i1 %235, label %236, label %268, !prof !6

236:
  %237 = getelementptr inbounds i8, ptr %231, i64 56
  %238 = load ptr, ptr %237, align 8
  %239 = icmp ne ptr %238, %225
  %240 = getelementptr inbounds i8, ptr %231, i64 24
  %241 = load i32, ptr %240, align 8
  %242 = sext i32 %241 to i64
  %243 = load i64, ptr %232, align 8
  %244 = icmp ne i64 %243, %242
  %245 = or i1 %239, %244
  %246 = getelementptr inbounds i8, ptr %231, i64 64
  %247 = load i32, ptr %246, align 8
  %248 = and i32 %247, 1281
  %249 = icmp ne i32 %248, 1281
  %250 = or i1 %245, %249
  br i1 %250, label %268, label %251, !prof !5

251:
  %252 = icmp sgt i32 %241, 0
  br i1 %252, label %253, label %270

253:
  %254 = getelementptr inbounds i8, ptr %231, i64 32
  %255 = load ptr, ptr %254, align 8
  %256 = getelementptr inbounds i8, ptr %232, i64 16
  %257 = load ptr, ptr %256, align 8
  br label %261

258:
  %259 = add nuw nsw i64 %262, 1
  %260 = icmp eq i64 %259, %242
  br i1 %260, label %270, label %261

261:
  %262 = phi i64 [ 0, %253 ], [ %259, %258 ]
  %263 = getelementptr inbounds i64, ptr %255, i64 %262
  %264 = load i64, ptr %263, align 8
  %265 = getelementptr inbounds i64, ptr %257, i64 %262
  %266 = load i64, ptr %265, align 8
  %267 = icmp eq i64 %264, %266
  br i1 %267, label %258, label %276, !prof !6

268:
  %269 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %305

270:
  %271 = getelementptr inbounds i8, ptr %231, i64 16
  %272 = load ptr, ptr %271, align 8
  %273 = getelementptr ptr, ptr %220, i64 %229
  store ptr %272, ptr %273, align 8
  %274 = add nuw nsw i64 %229, 1
  %275 = icmp eq i64 %274, %9
  br i1 %275, label %278, label %228

276:
  %277 = tail call fastcc ptr @call_batch(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef nonnull %3) #10
  br label %305

278:
  %279 = load ptr, ptr %7, align 8
  %280 = getelementptr inbounds i8, ptr %7, i64 48
  %281 = load ptr, ptr %280, align 8
  call void %279(ptr noundef nonnull %11, ptr noundef %281) #8
  %282 = getelementptr inbounds i8, ptr %7, i64 72
  %283 = load i64, ptr %282, align 8
  %284 = icmp eq i64 %283, 0
  br i1 %284, label %303, label %285

285:
  %286 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 192), align 8
  %287 = getelementptr inbounds i8, ptr %286, i64 8
  %288 = load ptr, ptr %287, align 8
  %289 = icmp eq ptr %288, null
  br i1 %289, label %303, label %290

290:
  %291 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %292 = call i64 %291() #8
  %293 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 184), align 8
  %294 = and i64 %293, %292
  %295 = load i64, ptr %286, align 8
  %296 = icmp eq i64 %294, %295
  br i1 %296, label %297, label %303, !prof !10

297:
  store ptr null, ptr %287, align 8
  %298 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %299 = getelementptr inbounds i8, ptr %286, i64 16
  %300 = load ptr, ptr %299, align 8
  %301 = getelementptr inbounds i8, ptr %286, i64 24
  %302 = load ptr, ptr %301, align 8
  call void %298(ptr noundef nonnull %288, ptr noundef %300, ptr noundef %302) #8
  br label %305

303:
  %304 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  call void %304(ptr noundef %151) #8
  br label %305

305:
  %306 = phi ptr [ %79, %78 ], [ %148, %147 ], [ %165, %164 ], [ %207, %206 ], [ %151, %303 ], [ %227, %226 ], [ %277, %276 ], [ null, %297 ], [ %69, %68 ], [ %146, %145 ], [ null, %114 ], [ null, %91 ], [ %101, %112 ], [ %101, %103 ], [ %269, %268 ]
  ret ptr %306
}

define void @run_sequence(ptr nocapture noundef readonly %0) local_unnamed_addr #0 {
  %2 = alloca i64, align 8
  %3 = getelementptr inbounds i8, ptr %0, i64 72
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds i8, ptr %0, i64 16
  %6 = load i64, ptr %5, align 8
  %7 = getelementptr inbounds i8, ptr %0, i64 24
  %8 = load i64, ptr %7, align 8
  %9 = add nsw i64 %8, %6
  %10 = alloca ptr, i64 %9, align 16
  %11 = getelementptr inbounds i8, ptr %0, i64 40
  %12 = load i64, ptr %11, align 8
  %13 = getelementptr inbounds i8, ptr %0, i64 48
  %14 = load i64, ptr %13, align 8
  %15 = icmp slt i64 %12, %14
  br i1 %15, label %16, label %122

16:
  %17 = getelementptr inbounds i8, ptr %0, i64 56
  %18 = getelementptr inbounds i8, ptr %0, i64 32
  %19 = icmp sgt i64 %6, 0
  %20 = getelementptr inbounds i8, ptr %0, i64 80
  %21 = getelementptr inbounds i8, ptr %0, i64 88
  %22 = getelementptr inbounds i8, ptr %0, i64 8
  %23 = getelementptr inbounds i8, ptr %0, i64 64
  %24 = load i64, ptr %17, align 8
  %25 = load i64, ptr %18, align 8
  br label %26

26:
  %27 = phi i64 [ %14, %16 ], [ %117, %116 ]
  %28 = phi i64 [ %24, %16 ], [ %118, %116 ]
  %29 = phi i64 [ %25, %16 ], [ %119, %116 ]
  %30 = phi i64 [ %12, %16 ], [ %120, %116 ]
  %31 = sub nsw i64 %27, %30
  %32 = call i64 @llvm.smin.i64(i64 %31, i64 %28)
  store i64 %32, ptr %2, align 8
  %33 = icmp sgt i64 %29, 0
  br i1 %33, label %38, label %116

34:
  %35 = add nuw nsw i64 %39, 1
  %36 = load i64, ptr %18, align 8
  %37 = icmp slt i64 %35, %36
  br i1 %37, label %38, label %113

38:
  %39 = phi i64 [ %35, %34 ], [ 0, %26 ]
  br i1 %19, label %40, label %45

40:
  %41 = load ptr, ptr %20, align 8
  %42 = icmp eq i64 %39, 0
  %43 = add nsw i64 %39, -1
  %44 = trunc i64 %43 to i1
  br label %51

45:
  %46 = load i64, ptr %7, align 8
  %47 = icmp sgt i64 %46, 0
  br i1 %47, label %48, label %81

48:
  %49 = load ptr, ptr %21, align 8
  %50 = trunc i64 %39 to i1
  br label %85

51:
  %52 = phi i64 [ 0, %40 ], [ %79, %72 ]
  %53 = getelementptr inbounds %struct.SequenceInput, ptr %41, i64 %52
  br i1 %42, label %70, label %54

54:
  %55 = getelementptr inbounds i8, ptr %53, i64 8
  %56 = load i64, ptr %55, align 8
  %57 = icmp sgt i64 %56, -1
  br i1 %57, label %58, label %70

58:
  %59 = load ptr, ptr %21, align 8
  %60 = getelementptr inbounds %struct.SequenceOutput, ptr %59, i64 %56
  %61 = load ptr, ptr %60, align 8
  %62 = getelementptr inbounds i8, ptr %60, i64 8
  %63 = load i64, ptr %62, align 8
  %64 = mul nsw i64 %63, %43
  %65 = getelementptr inbounds i8, ptr %61, i64 %64
  %66 = getelementptr inbounds i8, ptr %60, i64 16
  %67 = load i64, ptr %66, align 8
  %68 = select i1 %44, i64 %67, i64 0
  %69 = getelementptr inbounds i8, ptr %65, i64 %68
  br label %72

70:
  %71 = load ptr, ptr %53, align 8
  br label %72

72:
  %73 = phi ptr [ %69, %58 ], [ %71, %70 ]
  %74 = getelementptr inbounds i64, ptr %4, i64 %52
  %75 = load i64, ptr %74, align 8
  %76 = mul nsw i64 %75, %30
  %77 = getelementptr inbounds i8, ptr %73, i64 %76
  %78 = getelementptr inbounds ptr, ptr %10, i64 %52
  store ptr %77, ptr %78, align 8
  %79 = add nuw nsw i64 %52, 1
  %80 = icmp eq i64 %79, %6
  br i1 %80, label %45, label %51

81:
  %82 = load i64, ptr %22, align 8
  %83 = icmp eq i64 %82, 0
  %84 = load ptr, ptr %0, align 8
  br i1 %83, label %106, label %105

85:
  %86 = phi i64 [ 0, %48 ], [ %103, %85 ]
  %87 = getelementptr inbounds %struct.SequenceOutput, ptr %49, i64 %86
  %88 = load ptr, ptr %87, align 8
  %89 = getelementptr inbounds i8, ptr %87, i64 8
  %90 = load i64, ptr %89, align 8
  %91 = mul nsw i64 %90, %39
  %92 = getelementptr inbounds i8, ptr %88, i64 %91
  %93 = getelementptr inbounds i8, ptr %87, i64 16
  %94 = load i64, ptr %93, align 8
  %95 = select i1 %50, i64 %94, i64 0
  %96 = getelementptr inbounds i8, ptr %92, i64 %95
  %97 = add nsw i64 %86, %6
  %98 = getelementptr inbounds i64, ptr %4, i64 %97
  %99 = load i64, ptr %98, align 8
  %100 = mul nsw i64 %99, %30
  %101 = getelementptr inbounds i8, ptr %96, i64 %100
  %102 = getelementptr inbounds ptr, ptr %10, i64 %97
  store ptr %101, ptr %102, align 8
  %103 = add nuw nsw i64 %86, 1
  %104 = icmp eq i64 %103, %46
  br i1 %104, label %81, label %85

105:
  call void %84(ptr noundef nonnull %10, ptr noundef %4) #8
  br label %107

106:
  call void %84(ptr noundef nonnull %10, ptr noundef nonnull %2, ptr noundef %4, ptr noundef null) #8
  br label %107

107:
  %108 = load i64, ptr %23, align 8
  %109 = load i64, ptr %2, align 8
  %110 = mul i64 %109, %108
  %111 = call zeroext i1 @poll_signals(i64 noundef %110) #10
  br i1 %111, label %112, label %34

112:
  br label %122

113:
  %114 = load i64, ptr %17, align 8
  %115 = load i64, ptr %13, align 8
  br label %116

116:
  %117 = phi i64 [ %115, %113 ], [ %27, %26 ]
  %118 = phi i64 [ %114, %113 ], [ %28, %26 ]
  %119 = phi i64 [ %36, %113 ], [ %29, %26 ]
  %120 = add nsw i64 %118, %30
  %121 = icmp slt i64 %120, %117
  br i1 %121, label %26, label %122

122:
  ret void
}

declare ptr @llvm.stacksave.p0() #3

declare void @llvm.stackrestore.p0(ptr) #3

define void @set_python(ptr nocapture noundef readonly %0) local_unnamed_addr #4 {
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(200) @python, ptr noundef nonnull align 8 dereferenceable(200) %0, i64 200, i1 false)
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #5

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
  br i1 %9, label %21, label %10

10:
  %11 = load i64, ptr %1, align 8
  %12 = icmp eq i64 %11, 0
  br i1 %12, label %13, label %83

13:
  %14 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 24), align 8
  %15 = icmp eq ptr %7, %14
  %16 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 32), align 8
  %17 = icmp eq ptr %7, %16
  %18 = select i1 %15, i1 true, i1 %17
  br i1 %18, label %19, label %83

19:
  %20 = getelementptr inbounds i8, ptr %0, i64 16
  store ptr %20, ptr %2, align 8
  br label %83

21:
  %22 = getelementptr inbounds i8, ptr %0, i64 24
  %23 = load i32, ptr %22, align 8
  %24 = sext i32 %23 to i64
  %25 = load i64, ptr %1, align 8
  %26 = sub nsw i64 %24, %25
  %27 = getelementptr inbounds i8, ptr %0, i64 56
  %28 = load ptr, ptr %27, align 8
  %29 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %30 = icmp eq ptr %28, %29
  br i1 %30, label %31, label %83

31:
  %32 = getelementptr inbounds i8, ptr %0, i64 64
  %33 = load i32, ptr %32, align 8
  %34 = and i32 %33, %4
  %35 = icmp ne i32 %34, %4
  %36 = icmp ugt i64 %26, 1
  %37 = select i1 %35, i1 true, i1 %36
  br i1 %37, label %83, label %38

38:
  %39 = icmp sgt i64 %25, 0
  br i1 %39, label %40, label %66

40:
  %41 = getelementptr inbounds i8, ptr %0, i64 32
  %42 = load ptr, ptr %41, align 8
  %43 = getelementptr inbounds i8, ptr %1, i64 16
  %44 = load ptr, ptr %43, align 8
  %45 = getelementptr inbounds i8, ptr %0, i64 40
  %46 = getelementptr inbounds i8, ptr %1, i64 24
  br label %50

47:
  %48 = add nuw nsw i64 %51, 1
  %49 = icmp eq i64 %48, %25
  br i1 %49, label %66, label %50

50:
  %51 = phi i64 [ 0, %40 ], [ %48, %47 ]
  %52 = add nuw nsw i64 %51, %26
  %53 = getelementptr inbounds i64, ptr %42, i64 %52
  %54 = load i64, ptr %53, align 8
  %55 = getelementptr inbounds i64, ptr %44, i64 %51
  %56 = load i64, ptr %55, align 8
  %57 = icmp eq i64 %54, %56
  br i1 %57, label %58, label %83

58:
  %59 = load ptr, ptr %45, align 8
  %60 = getelementptr inbounds i64, ptr %59, i64 %52
  %61 = load i64, ptr %60, align 8
  %62 = load ptr, ptr %46, align 8
  %63 = getelementptr inbounds i64, ptr %62, i64 %51
  %64 = load i64, ptr %63, align 8
  %65 = icmp eq i64 %61, %64
  br i1 %65, label %47, label %83

66:
  %67 = getelementptr inbounds i8, ptr %0, i64 16
  %68 = load ptr, ptr %67, align 8
  store ptr %68, ptr %2, align 8
  %69 = icmp eq i64 %25, %24
  br i1 %69, label %83, label %70

70:
  %71 = load i64, ptr %3, align 8
  %72 = icmp eq i64 %71, -1
  %73 = getelementptr inbounds i8, ptr %0, i64 32
  %74 = load ptr, ptr %73, align 8
  %75 = load i64, ptr %74, align 8
  br i1 %72, label %78, label %76

76:
  %77 = icmp eq i64 %71, %75
  br i1 %77, label %78, label %83

78:
  %79 = phi i64 [ %71, %76 ], [ %75, %70 ]
  store i64 %79, ptr %3, align 8
  %80 = getelementptr inbounds i8, ptr %0, i64 40
  %81 = load ptr, ptr %80, align 8
  %82 = load i64, ptr %81, align 8
  br label %83

83:
  %84 = phi i64 [ 0, %19 ], [ -1, %13 ], [ -1, %10 ], [ %82, %78 ], [ -1, %31 ], [ -1, %21 ], [ 0, %66 ], [ -1, %76 ], [ -1, %50 ], [ -1, %58 ]
  ret i64 %84
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
  br i1 %12, label %13, label %56

13:
  %14 = phi i64 [ %54, %53 ], [ 0, %2 ]
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
  br i1 %22, label %53, label %23

23:
  %24 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 88), align 8
  %25 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  call void %24(ptr noundef %25) #8
  %26 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 48), align 8
  %27 = load ptr, ptr @python, align 8
  %28 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %29 = load i64, ptr %20, align 8
  %30 = trunc i64 %29 to i32
  %31 = getelementptr inbounds i8, ptr %20, i64 16
  %32 = load ptr, ptr %31, align 8
  %33 = call ptr %26(ptr noundef %27, ptr noundef %28, i32 noundef %30, ptr noundef %32, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #8
  store ptr %33, ptr %15, align 8
  %34 = icmp eq ptr %33, null
  br i1 %34, label %35, label %47, !prof !5

35:
  %36 = icmp eq i64 %14, 0
  br i1 %36, label %147, label %37

37:
  %38 = phi i64 [ %45, %44 ], [ 0, %35 ]
  %39 = getelementptr inbounds ptr, ptr %10, i64 %38
  %40 = load ptr, ptr %39, align 8
  %41 = icmp eq ptr %40, null
  br i1 %41, label %44, label %42

42:
  %43 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %43(ptr noundef nonnull %40) #8
  br label %44

44:
  %45 = add nuw nsw i64 %38, 1
  %46 = icmp eq i64 %45, %14
  br i1 %46, label %147, label %37

47:
  %48 = getelementptr inbounds i8, ptr %33, i64 16
  %49 = load ptr, ptr %48, align 8
  %50 = load i64, ptr %7, align 8
  %51 = getelementptr ptr, ptr %1, i64 %50
  %52 = getelementptr ptr, ptr %51, i64 %14
  store ptr %49, ptr %52, align 8
  br label %53

53:
  %54 = add nuw nsw i64 %14, 1
  %55 = icmp eq i64 %54, %4
  br i1 %55, label %56, label %13

56:
  %57 = load ptr, ptr %0, align 8
  %58 = getelementptr inbounds i8, ptr %0, i64 48
  %59 = load ptr, ptr %58, align 8
  call void %57(ptr noundef %1, ptr noundef %59) #8
  %60 = getelementptr inbounds i8, ptr %0, i64 72
  %61 = load i64, ptr %60, align 8
  %62 = icmp eq i64 %61, 0
  br i1 %62, label %91, label %63

63:
  %64 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 192), align 8
  %65 = getelementptr inbounds i8, ptr %64, i64 8
  %66 = load ptr, ptr %65, align 8
  %67 = icmp eq ptr %66, null
  br i1 %67, label %91, label %68

68:
  %69 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 104), align 8
  %70 = call i64 %69() #8
  %71 = load i64, ptr getelementptr inbounds (i8, ptr @python, i64 184), align 8
  %72 = and i64 %71, %70
  %73 = load i64, ptr %64, align 8
  %74 = icmp eq i64 %72, %73
  br i1 %74, label %75, label %91

75:
  store ptr null, ptr %65, align 8
  %76 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 168), align 8
  %77 = getelementptr inbounds i8, ptr %64, i64 16
  %78 = load ptr, ptr %77, align 8
  %79 = getelementptr inbounds i8, ptr %64, i64 24
  %80 = load ptr, ptr %79, align 8
  call void %76(ptr noundef nonnull %66, ptr noundef %78, ptr noundef %80) #8
  br i1 %12, label %81, label %147

81:
  %82 = phi i64 [ %89, %88 ], [ 0, %75 ]
  %83 = getelementptr inbounds ptr, ptr %10, i64 %82
  %84 = load ptr, ptr %83, align 8
  %85 = icmp eq ptr %84, null
  br i1 %85, label %88, label %86

86:
  %87 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %87(ptr noundef nonnull %84) #8
  br label %88

88:
  %89 = add nuw nsw i64 %82, 1
  %90 = icmp eq i64 %89, %4
  br i1 %90, label %147, label %81

91:
  br i1 %12, label %92, label %124

92:
  %93 = phi i64 [ %114, %113 ], [ 0, %91 ]
  %94 = getelementptr inbounds ptr, ptr %10, i64 %93
  %95 = load ptr, ptr %94, align 8
  %96 = icmp eq ptr %95, null
  br i1 %96, label %97, label %113

97:
  %98 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 56), align 8
  %99 = getelementptr inbounds double, ptr %11, i64 %93
  %100 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 8), align 8
  %101 = call ptr %98(ptr noundef nonnull %99, ptr noundef %100, ptr noundef null) #8
  store ptr %101, ptr %94, align 8
  %102 = icmp eq ptr %101, null
  br i1 %102, label %103, label %113, !prof !5

103:
  %104 = phi i64 [ %111, %110 ], [ 0, %97 ]
  %105 = getelementptr inbounds ptr, ptr %10, i64 %104
  %106 = load ptr, ptr %105, align 8
  %107 = icmp eq ptr %106, null
  br i1 %107, label %110, label %108

108:
  %109 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %109(ptr noundef nonnull %106) #8
  br label %110

110:
  %111 = add nuw nsw i64 %104, 1
  %112 = icmp eq i64 %111, %4
  br i1 %112, label %147, label %103

113:
  %114 = add nuw nsw i64 %93, 1
  %115 = icmp eq i64 %114, %4
  br i1 %115, label %116, label %92

116:
  %117 = icmp eq i64 %4, 1
  br i1 %117, label %118, label %120

118:
  %119 = load ptr, ptr %10, align 16
  br label %147

120:
  %121 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 72), align 8
  %122 = call ptr %121(i64 noundef %4) #8
  %123 = icmp eq ptr %122, null
  br i1 %123, label %128, label %127

124:
  %125 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 72), align 8
  %126 = call ptr %125(i64 noundef %4) #8
  br label %147

127:
  br i1 %12, label %139, label %147

128:
  br i1 %12, label %129, label %147

129:
  %130 = phi i64 [ %137, %136 ], [ 0, %128 ]
  %131 = getelementptr inbounds ptr, ptr %10, i64 %130
  %132 = load ptr, ptr %131, align 8
  %133 = icmp eq ptr %132, null
  br i1 %133, label %136, label %134

134:
  %135 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 96), align 8
  call void %135(ptr noundef nonnull %132) #8
  br label %136

136:
  %137 = add nuw nsw i64 %130, 1
  %138 = icmp eq i64 %137, %4
  br i1 %138, label %147, label %129

139:
  %140 = phi i64 [ %145, %139 ], [ 0, %127 ]
  %141 = load ptr, ptr getelementptr inbounds (i8, ptr @python, i64 80), align 8
  %142 = getelementptr inbounds ptr, ptr %10, i64 %140
  %143 = load ptr, ptr %142, align 8
  %144 = call i32 %141(ptr noundef nonnull %122, i64 noundef %140, ptr noundef %143) #8
  %145 = add nuw nsw i64 %140, 1
  %146 = icmp eq i64 %145, %4
  br i1 %146, label %147, label %139

147:
  %148 = phi ptr [ null, %35 ], [ null, %75 ], [ %119, %118 ], [ null, %128 ], [ %122, %127 ], [ %126, %124 ], [ null, %110 ], [ null, %136 ], [ %122, %139 ], [ null, %88 ], [ null, %44 ]
  ret ptr %148
}

declare i64 @llvm.smin.i64(i64, i64) #7

declare i64 @llvm.smax.i64(i64, i64) #7

attributes #0 = { nounwind }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { noinline nounwind }
attributes #3 = { mustprogress nocallback nofree nosync nounwind willreturn }
attributes #4 = { mustprogress nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none) }
attributes #5 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
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
