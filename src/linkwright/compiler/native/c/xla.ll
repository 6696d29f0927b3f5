%struct.ErrorArguments = type { i64, ptr, ptr, i32 }
%struct.Slot = type { i64, i64, ptr, ptr, ptr }

@.str = private unnamed_addr constant [47 x i8] c"the number of arrays is not that of the kernel\00", align 1
@.str.1 = private unnamed_addr constant [30 x i8] c"arrays are float32 or float64\00", align 1
@.str.2 = private unnamed_addr constant [39 x i8] c"the arrays are not those of the kernel\00", align 1
@.str.3 = private unnamed_addr constant [34 x i8] c"the kernel is of single precision\00", align 1
@.str.4 = private unnamed_addr constant [38 x i8] c"no memory for a conversion to float64\00", align 1
@.str.5 = private unnamed_addr constant [12 x i8] c"interrupted\00", align 1

define ptr @call_from_xla(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = alloca %struct.ErrorArguments, align 8
  %5 = alloca %struct.ErrorArguments, align 8
  %6 = alloca %struct.ErrorArguments, align 8
  %7 = alloca %struct.ErrorArguments, align 8
  %8 = alloca %struct.ErrorArguments, align 8
  %9 = alloca %struct.ErrorArguments, align 8
  %10 = getelementptr inbounds i8, ptr %0, i64 8
  %11 = load ptr, ptr %10, align 8
  %12 = icmp eq ptr %11, null
  br i1 %12, label %26, label %13

13:
  %14 = getelementptr inbounds i8, ptr %11, i64 8
  %15 = load i32, ptr %14, align 8
  %16 = icmp eq i32 %15, 1
  br i1 %16, label %17, label %26

17:
  %18 = getelementptr inbounds i8, ptr %11, i64 24
  %19 = load ptr, ptr %18, align 8
  %20 = getelementptr inbounds i8, ptr %19, i64 24
  store i32 0, ptr %20, align 8
  %21 = trunc i64 %2 to i32
  %22 = load ptr, ptr %18, align 8
  %23 = getelementptr inbounds i8, ptr %22, i64 28
  store i32 %21, ptr %23, align 4
  %24 = load ptr, ptr %18, align 8
  %25 = getelementptr inbounds i8, ptr %24, i64 32
  store i32 0, ptr %25, align 8
  br label %245

26:
  %27 = getelementptr inbounds i8, ptr %0, i64 32
  %28 = load i32, ptr %27, align 8
  %29 = icmp eq i32 %28, 3
  br i1 %29, label %30, label %245

30:
  %31 = getelementptr inbounds i8, ptr %1, i64 24
  %32 = load i64, ptr %31, align 8
  %33 = getelementptr inbounds i8, ptr %1, i64 32
  %34 = load i64, ptr %33, align 8
  %35 = getelementptr inbounds i8, ptr %0, i64 56
  %36 = load i64, ptr %35, align 8
  %37 = icmp eq i64 %36, %32
  br i1 %37, label %38, label %42

38:
  %39 = getelementptr inbounds i8, ptr %0, i64 96
  %40 = load i64, ptr %39, align 8
  %41 = icmp eq i64 %40, %34
  br i1 %41, label %51, label %42

42:
  store i64 32, ptr %9, align 8
  %43 = getelementptr inbounds i8, ptr %9, i64 8
  store ptr null, ptr %43, align 8
  %44 = getelementptr inbounds i8, ptr %9, i64 16
  store ptr @.str, ptr %44, align 8
  %45 = getelementptr inbounds i8, ptr %9, i64 24
  store i32 3, ptr %45, align 8
  %46 = getelementptr inbounds i8, ptr %0, i64 16
  %47 = load ptr, ptr %46, align 8
  %48 = getelementptr inbounds i8, ptr %47, i64 48
  %49 = load ptr, ptr %48, align 8
  %50 = call ptr %49(ptr noundef nonnull %9) #6
  br label %245

51:
  %52 = add nsw i64 %34, %32
  %53 = tail call ptr @llvm.stacksave.p0()
  %54 = alloca ptr, i64 %52, align 16
  %55 = getelementptr inbounds i8, ptr %1, i64 40
  %56 = load i64, ptr %55, align 8
  %57 = alloca i64, i64 %56, align 16
  %58 = icmp sgt i64 %56, 0
  br i1 %58, label %59, label %62

59:
  %60 = getelementptr inbounds i8, ptr %1, i64 48
  %61 = load ptr, ptr %60, align 8
  br label %80

62:
  %63 = getelementptr inbounds i8, ptr %0, i64 112
  %64 = load ptr, ptr %63, align 8
  %65 = load ptr, ptr %64, align 8
  %66 = getelementptr inbounds i8, ptr %65, i64 16
  %67 = load i32, ptr %66, align 8
  %68 = icmp ne i32 %67, 11
  %69 = add i32 %67, -13
  %70 = icmp ult i32 %69, -2
  br i1 %70, label %87, label %71

71:
  %72 = icmp slt i64 %52, 1
  br i1 %72, label %73, label %76

73:
  %74 = getelementptr inbounds i8, ptr %1, i64 56
  %75 = load ptr, ptr %74, align 8
  br label %181

76:
  %77 = getelementptr inbounds i8, ptr %0, i64 72
  %78 = getelementptr inbounds i8, ptr %1, i64 56
  %79 = load ptr, ptr %78, align 8
  br label %96

80:
  %81 = phi i64 [ 0, %59 ], [ %85, %80 ]
  %82 = getelementptr inbounds i64, ptr %61, i64 %81
  %83 = load i64, ptr %82, align 8
  %84 = getelementptr inbounds i64, ptr %57, i64 %81
  store i64 %83, ptr %84, align 8
  %85 = add nuw nsw i64 %81, 1
  %86 = icmp eq i64 %85, %56
  br i1 %86, label %62, label %80

87:
  store i64 32, ptr %8, align 8
  %88 = getelementptr inbounds i8, ptr %8, i64 8
  store ptr null, ptr %88, align 8
  %89 = getelementptr inbounds i8, ptr %8, i64 16
  store ptr @.str.1, ptr %89, align 8
  %90 = getelementptr inbounds i8, ptr %8, i64 24
  store i32 3, ptr %90, align 8
  %91 = getelementptr inbounds i8, ptr %0, i64 16
  %92 = load ptr, ptr %91, align 8
  %93 = getelementptr inbounds i8, ptr %92, i64 48
  %94 = load ptr, ptr %93, align 8
  %95 = call ptr %94(ptr noundef nonnull %8) #6
  br label %243

96:
  %97 = phi i64 [ -1, %76 ], [ %150, %168 ]
  %98 = phi i64 [ %52, %76 ], [ %99, %168 ]
  %99 = add nsw i64 %98, -1
  %100 = icmp sgt i64 %98, %32
  br i1 %100, label %104, label %101

101:
  %102 = load ptr, ptr %77, align 8
  %103 = getelementptr inbounds ptr, ptr %102, i64 %99
  br label %107

104:
  %105 = sub nsw i64 %99, %32
  %106 = getelementptr inbounds ptr, ptr %64, i64 %105
  br label %107

107:
  %108 = phi ptr [ %103, %101 ], [ %106, %104 ]
  %109 = load ptr, ptr %108, align 8
  %110 = getelementptr inbounds %struct.Slot, ptr %79, i64 %99
  %111 = getelementptr inbounds i8, ptr %109, i64 32
  %112 = load i64, ptr %111, align 8
  %113 = load i64, ptr %110, align 8
  %114 = sub nsw i64 %112, %113
  %115 = icmp slt i64 %114, 0
  br i1 %115, label %172, label %116

116:
  %117 = icmp eq i64 %112, %113
  br i1 %117, label %121, label %118

118:
  %119 = getelementptr inbounds i8, ptr %109, i64 40
  %120 = load ptr, ptr %119, align 8
  br label %130

121:
  %122 = phi i64 [ 1, %116 ], [ %135, %130 ]
  %123 = icmp sgt i64 %113, 0
  br i1 %123, label %124, label %148

124:
  %125 = getelementptr inbounds i8, ptr %109, i64 40
  %126 = load ptr, ptr %125, align 8
  %127 = getelementptr inbounds i64, ptr %126, i64 %114
  %128 = getelementptr inbounds i8, ptr %110, i64 16
  %129 = load ptr, ptr %128, align 8
  br label %141

130:
  %131 = phi i64 [ 0, %118 ], [ %136, %130 ]
  %132 = phi i64 [ 1, %118 ], [ %135, %130 ]
  %133 = getelementptr inbounds i64, ptr %120, i64 %131
  %134 = load i64, ptr %133, align 8
  %135 = mul nsw i64 %134, %132
  %136 = add nuw nsw i64 %131, 1
  %137 = icmp eq i64 %136, %114
  br i1 %137, label %121, label %130

138:
  %139 = add nuw nsw i64 %142, 1
  %140 = icmp eq i64 %139, %113
  br i1 %140, label %148, label %141

141:
  %142 = phi i64 [ 0, %124 ], [ %139, %138 ]
  %143 = getelementptr inbounds i64, ptr %127, i64 %142
  %144 = load i64, ptr %143, align 8
  %145 = getelementptr inbounds i64, ptr %129, i64 %142
  %146 = load i64, ptr %145, align 8
  %147 = icmp eq i64 %144, %146
  br i1 %147, label %138, label %172

148:
  %149 = icmp eq i64 %97, -1
  %150 = select i1 %149, i64 %122, i64 %97
  %151 = getelementptr inbounds i8, ptr %109, i64 16
  %152 = load i32, ptr %151, align 8
  %153 = icmp eq i32 %152, %67
  %154 = icmp ne i64 %122, -1
  %155 = select i1 %153, i1 %154, i1 false
  %156 = icmp eq i64 %122, %150
  %157 = or i1 %117, %156
  %158 = select i1 %155, i1 %157, i1 false
  br i1 %158, label %159, label %172

159:
  %160 = getelementptr inbounds i8, ptr %109, i64 24
  %161 = load ptr, ptr %160, align 8
  %162 = getelementptr inbounds ptr, ptr %54, i64 %99
  store ptr %161, ptr %162, align 8
  %163 = icmp ne i64 %112, %113
  %164 = or i1 %100, %163
  br i1 %164, label %165, label %168

165:
  %166 = getelementptr inbounds i8, ptr %110, i64 8
  %167 = load i64, ptr %166, align 8
  br label %168

168:
  %169 = phi i64 [ %167, %165 ], [ 0, %159 ]
  %170 = getelementptr inbounds i64, ptr %57, i64 %99
  store i64 %169, ptr %170, align 8
  %171 = icmp slt i64 %98, 2
  br i1 %171, label %181, label %96

172:
  store i64 32, ptr %7, align 8
  %173 = getelementptr inbounds i8, ptr %7, i64 8
  store ptr null, ptr %173, align 8
  %174 = getelementptr inbounds i8, ptr %7, i64 16
  store ptr @.str.2, ptr %174, align 8
  %175 = getelementptr inbounds i8, ptr %7, i64 24
  store i32 3, ptr %175, align 8
  %176 = getelementptr inbounds i8, ptr %0, i64 16
  %177 = load ptr, ptr %176, align 8
  %178 = getelementptr inbounds i8, ptr %177, i64 48
  %179 = load ptr, ptr %178, align 8
  %180 = call ptr %179(ptr noundef nonnull %7) #6
  br label %243

181:
  %182 = phi ptr [ %75, %73 ], [ %79, %168 ]
  %183 = phi i64 [ -1, %73 ], [ %150, %168 ]
  %184 = load i64, ptr %31, align 8
  %185 = getelementptr inbounds %struct.Slot, ptr %182, i64 %184
  %186 = load i64, ptr %185, align 8
  %187 = icmp sgt i64 %186, 0
  br i1 %187, label %188, label %199

188:
  %189 = getelementptr inbounds i8, ptr %185, i64 16
  %190 = load ptr, ptr %189, align 8
  br label %191

191:
  %192 = phi i64 [ 0, %188 ], [ %197, %191 ]
  %193 = phi i64 [ 4, %188 ], [ %196, %191 ]
  %194 = getelementptr inbounds i64, ptr %190, i64 %192
  %195 = load i64, ptr %194, align 8
  %196 = mul nsw i64 %195, %193
  %197 = add nuw nsw i64 %192, 1
  %198 = icmp eq i64 %197, %186
  br i1 %198, label %199, label %191

199:
  %200 = phi i64 [ 4, %181 ], [ %196, %191 ]
  %201 = getelementptr inbounds i8, ptr %185, i64 8
  %202 = load i64, ptr %201, align 8
  %203 = icmp eq i64 %202, %200
  %204 = and i1 %68, %203
  br i1 %204, label %205, label %214

205:
  store i64 32, ptr %6, align 8
  %206 = getelementptr inbounds i8, ptr %6, i64 8
  store ptr null, ptr %206, align 8
  %207 = getelementptr inbounds i8, ptr %6, i64 16
  store ptr @.str.3, ptr %207, align 8
  %208 = getelementptr inbounds i8, ptr %6, i64 24
  store i32 3, ptr %208, align 8
  %209 = getelementptr inbounds i8, ptr %0, i64 16
  %210 = load ptr, ptr %209, align 8
  %211 = getelementptr inbounds i8, ptr %210, i64 48
  %212 = load ptr, ptr %211, align 8
  %213 = call ptr %212(ptr noundef nonnull %6) #6
  br label %243

214:
  %215 = xor i1 %68, %203
  br i1 %215, label %216, label %217

216:
  call fastcc void @run(ptr noundef %1, ptr noundef nonnull %54, i64 noundef %183, ptr noundef nonnull %57) #7
  br label %228

217:
  %218 = call fastcc zeroext i1 @run_float32(ptr noundef %1, ptr noundef nonnull %54, i64 noundef %183, ptr noundef nonnull %57) #7
  br i1 %218, label %228, label %219

219:
  store i64 32, ptr %5, align 8
  %220 = getelementptr inbounds i8, ptr %5, i64 8
  store ptr null, ptr %220, align 8
  %221 = getelementptr inbounds i8, ptr %5, i64 16
  store ptr @.str.4, ptr %221, align 8
  %222 = getelementptr inbounds i8, ptr %5, i64 24
  store i32 3, ptr %222, align 8
  %223 = getelementptr inbounds i8, ptr %0, i64 16
  %224 = load ptr, ptr %223, align 8
  %225 = getelementptr inbounds i8, ptr %224, i64 48
  %226 = load ptr, ptr %225, align 8
  %227 = call ptr %226(ptr noundef nonnull %5) #6
  br label %243

228:
  %229 = getelementptr inbounds i8, ptr %1, i64 72
  %230 = load i64, ptr %229, align 8
  %231 = icmp eq i64 %230, 0
  br i1 %231, label %243, label %232

232:
  %233 = call zeroext i1 @poll_signals(i64 noundef 0) #6
  br i1 %233, label %234, label %243

234:
  store i64 32, ptr %4, align 8
  %235 = getelementptr inbounds i8, ptr %4, i64 8
  store ptr null, ptr %235, align 8
  %236 = getelementptr inbounds i8, ptr %4, i64 16
  store ptr @.str.5, ptr %236, align 8
  %237 = getelementptr inbounds i8, ptr %4, i64 24
  store i32 1, ptr %237, align 8
  %238 = getelementptr inbounds i8, ptr %0, i64 16
  %239 = load ptr, ptr %238, align 8
  %240 = getelementptr inbounds i8, ptr %239, i64 48
  %241 = load ptr, ptr %240, align 8
  %242 = call ptr %241(ptr noundef nonnull %4) #6
  br label %243

243:
  %244 = phi ptr [ %95, %87 ], [ %180, %172 ], [ %213, %205 ], [ %242, %234 ], [ %227, %219 ], [ null, %232 ], [ null, %228 ]
  call void @llvm.stackrestore.p0(ptr %53)
  br label %245

245:
  %246 = phi ptr [ null, %17 ], [ null, %26 ], [ %50, %42 ], [ %244, %243 ]
  ret ptr %246
}

declare ptr @llvm.stacksave.p0() #2

define internal fastcc void @run(ptr nocapture noundef readonly %0, ptr noundef %1, i64 noundef %2, ptr noundef %3) unnamed_addr #0 {
  %5 = alloca i64, align 8
  store i64 %2, ptr %5, align 8
  switch i64 %2, label %10 [
    i64 1, label %6
    i64 0, label %13
  ]

6:
  %7 = load ptr, ptr %0, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %10, label %9

9:
  tail call void %7(ptr noundef %1, ptr noundef %3) #6
  br label %13

10:
  %11 = getelementptr inbounds i8, ptr %0, i64 8
  %12 = load ptr, ptr %11, align 8
  call void %12(ptr noundef %1, ptr noundef nonnull %5, ptr noundef %3, ptr noundef null) #6
  br label %13

13:
  ret void
}

define internal fastcc noundef zeroext i1 @run_float32(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, ptr noundef %3) unnamed_addr #0 {
  %5 = alloca i64, align 8
  %6 = getelementptr inbounds i8, ptr %0, i64 24
  %7 = load i64, ptr %6, align 8
  %8 = getelementptr inbounds i8, ptr %0, i64 32
  %9 = load i64, ptr %8, align 8
  %10 = add nsw i64 %9, %7
  %11 = getelementptr inbounds i8, ptr %0, i64 56
  %12 = load ptr, ptr %11, align 8
  %13 = icmp sgt i64 %10, 0
  br i1 %13, label %27, label %14

14:
  %15 = phi i64 [ 0, %4 ], [ %32, %27 ]
  %16 = tail call i64 @llvm.smin.i64(i64 %2, i64 64)
  %17 = mul nsw i64 %15, %16
  %18 = add nsw i64 %17, 1
  %19 = tail call ptr @malloc(i64 noundef %18) #6
  %20 = alloca ptr, i64 %10, align 16
  %21 = icmp ne ptr %19, null
  br i1 %21, label %22, label %111

22:
  %23 = icmp sgt i64 %2, 0
  br i1 %23, label %24, label %35

24:
  %25 = getelementptr inbounds i8, ptr %0, i64 8
  %26 = icmp sgt i64 %9, 0
  br label %36

27:
  %28 = phi i64 [ %32, %27 ], [ 0, %4 ]
  %29 = phi i64 [ %33, %27 ], [ 0, %4 ]
  %30 = getelementptr inbounds %struct.Slot, ptr %12, i64 %29, i32 1
  %31 = load i64, ptr %30, align 8
  %32 = add nsw i64 %31, %28
  %33 = add nuw nsw i64 %29, 1
  %34 = icmp eq i64 %33, %10
  br i1 %34, label %14, label %27

35:
  call void @free(ptr noundef nonnull %19) #6
  br label %111

36:
  %37 = phi i64 [ 0, %24 ], [ %85, %84 ]
  %38 = sub nsw i64 %2, %37
  %39 = call i64 @llvm.smin.i64(i64 %38, i64 64)
  br i1 %13, label %48, label %40

40:
  store i64 %39, ptr %5, align 8
  switch i64 %39, label %45 [
    i64 1, label %41
    i64 0, label %47
  ]

41:
  %42 = load ptr, ptr %0, align 8
  %43 = icmp eq ptr %42, null
  br i1 %43, label %45, label %44

44:
  call void %42(ptr noundef nonnull %20, ptr noundef %3) #6
  br label %47

45:
  %46 = load ptr, ptr %25, align 8
  call void %46(ptr noundef nonnull %20, ptr noundef nonnull %5, ptr noundef %3, ptr noundef null) #6
  br label %47

47:
  br i1 %26, label %87, label %84

48:
  %49 = phi i64 [ %82, %78 ], [ 0, %36 ]
  %50 = phi ptr [ %81, %78 ], [ %19, %36 ]
  %51 = getelementptr inbounds %struct.Slot, ptr %12, i64 %49, i32 1
  %52 = load i64, ptr %51, align 8
  %53 = getelementptr inbounds i64, ptr %3, i64 %49
  %54 = load i64, ptr %53, align 8
  %55 = icmp eq i64 %54, 0
  %56 = select i1 %55, i64 1, i64 %39
  %57 = getelementptr inbounds ptr, ptr %20, i64 %49
  store ptr %50, ptr %57, align 8
  %58 = icmp slt i64 %49, %7
  br i1 %58, label %59, label %78

59:
  %60 = sdiv i64 %52, 8
  %61 = getelementptr inbounds ptr, ptr %1, i64 %49
  %62 = load ptr, ptr %61, align 8
  %63 = mul nsw i64 %60, %37
  %64 = select i1 %55, i64 0, i64 %63
  %65 = getelementptr inbounds float, ptr %62, i64 %64
  %66 = mul nsw i64 %56, %60
  %67 = icmp sgt i64 %66, 0
  br i1 %67, label %68, label %78

68:
  %69 = phi i64 [ %74, %68 ], [ 0, %59 ]
  %70 = getelementptr inbounds float, ptr %65, i64 %69
  %71 = load float, ptr %70, align 4
  %72 = fpext float %71 to double
  %73 = getelementptr inbounds double, ptr %50, i64 %69
  store double %72, ptr %73, align 8
  %74 = add nuw nsw i64 %69, 1
  %75 = icmp eq i64 %74, %66
  br i1 %75, label %76, label %68

76:
  %77 = load i64, ptr %51, align 8
  br label %78

78:
  %79 = phi i64 [ %77, %76 ], [ %52, %59 ], [ %52, %48 ]
  %80 = mul nsw i64 %79, %56
  %81 = getelementptr inbounds i8, ptr %50, i64 %80
  %82 = add nuw nsw i64 %49, 1
  %83 = icmp eq i64 %82, %10
  br i1 %83, label %40, label %48

84:
  %85 = add nuw nsw i64 %37, 64
  %86 = icmp slt i64 %85, %2
  br i1 %86, label %36, label %35

87:
  %88 = phi i64 [ %109, %108 ], [ %7, %47 ]
  %89 = getelementptr inbounds %struct.Slot, ptr %12, i64 %88, i32 1
  %90 = load i64, ptr %89, align 8
  %91 = sdiv i64 %90, 8
  %92 = getelementptr inbounds ptr, ptr %1, i64 %88
  %93 = load ptr, ptr %92, align 8
  %94 = mul nsw i64 %91, %37
  %95 = getelementptr inbounds float, ptr %93, i64 %94
  %96 = getelementptr inbounds ptr, ptr %20, i64 %88
  %97 = load ptr, ptr %96, align 8
  %98 = mul nsw i64 %91, %39
  %99 = icmp sgt i64 %98, 0
  br i1 %99, label %100, label %108

100:
  %101 = phi i64 [ %106, %100 ], [ 0, %87 ]
  %102 = getelementptr inbounds double, ptr %97, i64 %101
  %103 = load double, ptr %102, align 8
  %104 = fptrunc double %103 to float
  %105 = getelementptr inbounds float, ptr %95, i64 %101
  store float %104, ptr %105, align 4
  %106 = add nuw nsw i64 %101, 1
  %107 = icmp eq i64 %106, %98
  br i1 %107, label %108, label %100

108:
  %109 = add nsw i64 %88, 1
  %110 = icmp slt i64 %109, %10
  br i1 %110, label %87, label %84

111:
  ret i1 %21
}

declare zeroext i1 @poll_signals(i64 noundef) local_unnamed_addr

declare void @llvm.stackrestore.p0(ptr) #2

declare ptr @malloc(i64 noundef) local_unnamed_addr

declare void @free(ptr noundef) local_unnamed_addr

declare i64 @llvm.smin.i64(i64, i64) #4

attributes #0 = { nounwind }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn }
attributes #4 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nounwind }
attributes #6 = { nobuiltin nounwind }
attributes #7 = { nobuiltin }
